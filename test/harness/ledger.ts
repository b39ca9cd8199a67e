import pg from 'pg';
import type { TransferRecord } from '../../lib/contracts/treasury.ts';
import { openDatabase, type Database } from '../../lib/db/database.ts';
import { migrate } from '../../lib/db/migrate.ts';
import { Outbox } from '../../lib/events/outbox.ts';
import { treasuryDatabase } from '../../services/treasury/database.ts';
import { listTransfersAfter } from '../../services/treasury/ledger/ledger-reads.store.ts';
import { LedgerWriter } from '../../services/treasury/ledger/ledger-writer.ts';
import { legsBetween, type Posting } from '../../services/treasury/ledger/posting.rules.ts';
import { createTestDatabase, type TestDatabase } from './databases.ts';
import { testClock, testIds } from './runtime.ts';

const newId = testIds();

export function treasuryTestDatabase(): Promise<TestDatabase> {
  return createTestDatabase('treasury', (database) => migrate(database, treasuryDatabase.migrations));
}

/** Creates a ledger writer as a treasury process does. */
export function testWriter(
  db: Pick<Database, 'openBatches'>,
  reached: (point: string) => Promise<void> = () => Promise.resolve(),
): LedgerWriter {
  const outbox = new Outbox('treasury', testClock, newId);
  return new LedgerWriter({ db, outbox, runtime: { clock: testClock, reached } });
}

/** Creates a posting of an association with default values for all other members. */
export function postingOf(association_id: string, given: Partial<Posting> & Pick<Posting, 'movement'>): Posting {
  return {
    id: newId(),
    chain_id: association_id,
    association_id,
    kind: 'contribution',
    currency: 'XAF',
    reference: null,
    payer_user_id: null,
    member_id: null,
    ...given,
  };
}

/** Opens a ledger for the tests of a `describe`, with a new association for each test. */
export function useLedger(): TestLedger {
  const ledger = new TestLedger();
  before(() => ledger.open());
  after(() => ledger.close());
  beforeEach(() => (ledger.association_id = newId()));
  afterEach(() => ledger.stopWriters());
  return ledger;
}

/** A ledger's database and any number of writers. */
export class TestLedger {
  association_id = '';
  /** Connections of the service's role. */
  db!: Database;
  #database!: TestDatabase;
  #admin!: pg.Pool;
  #writers: LedgerWriter[] = [];

  async open(): Promise<void> {
    this.#database = await treasuryTestDatabase();
    this.db = await openDatabase(this.#database, treasuryDatabase);
    this.#admin = new pg.Pool({ connectionString: this.#database.migrationUrl, max: 2 });
  }

  async close(): Promise<void> {
    await this.db.close();
    await this.#admin.end();
    await this.#database.release();
  }

  /** Creates a writer that is stopped after the test. */
  writer(reached?: (point: string) => Promise<void>, db: Pick<Database, 'openBatches'> = this.db): LedgerWriter {
    const writer = testWriter(db, reached);
    this.#writers.push(writer);
    return writer;
  }

  async stopWriters(): Promise<void> {
    await Promise.all(this.#writers.splice(0).map((writer) => writer.stop()));
  }

  /** Runs a statement as administrator. */
  async sql<Row extends pg.QueryResultRow>(text: string, ...values: unknown[]): Promise<Row[]> {
    return (await this.#admin.query<Row>(text, values)).rows;
  }

  cashIn(amount_minor: number, given: Partial<Posting> = {}): Posting {
    const legs = legsBetween('cash_funding', 'cash_treasury', BigInt(amount_minor));
    return postingOf(this.association_id, { movement: { legs }, ...given });
  }

  /** Creates a posting that reserves cash of the treasury. */
  spend(amount_minor: number): Posting {
    const legs = legsBetween('cash_treasury', 'cash_reserved', BigInt(amount_minor));
    return postingOf(this.association_id, { movement: { legs } });
  }

  /** Returns the transfers of a chain, in order. */
  chain(chain_id = this.association_id): Promise<TransferRecord[]> {
    return listTransfersAfter(this.db, chain_id, 0, 1_000);
  }

  /** Returns each account that has entries, with their sum. */
  balances(): Promise<{ account_id: string; balance: bigint; sum: bigint }[]> {
    return this.sql(
      `SELECT account_id, balance, (SELECT sum(amount)::bigint FROM entries e WHERE e.account_id = a.account_id) AS sum
       FROM accounts a WHERE entry_count > 0`,
    );
  }
}
