import { expect } from 'chai';
import pg from 'pg';
import type { TransferRecord } from '../../../lib/contracts/treasury.ts';
import { firstBreak } from '../../harness/chain.ts';
import type { Outcome, Posting } from '../../../services/treasury/ledger/posting.rules.ts';
import type { LedgerWriter } from '../../../services/treasury/ledger/ledger-writer.ts';
import { transfersAfter } from '../../../services/treasury/ledger/ledger-reads.store.ts';
import { treasuryDatabase } from '../../../services/treasury/database.ts';
import { openDatabase } from '../../../lib/db/database.ts';
import type { Database } from '../../../lib/db/database.ts';
import type { TestDatabase } from '../../harness/databases.ts';
import { eventually } from '../../harness/eventually.ts';
import { legs, newId, postingOf, testDatabase, testWriter } from '../../harness/treasury.ts';

describe('treasury: the ledger writer', () => {
  let database: TestDatabase;
  /** The service's own connections. */
  let db: Database;
  let admin: pg.Pool;
  let writers: LedgerWriter[];
  let association_id: string;

  before(async () => {
    database = await testDatabase();
    db = await openDatabase(database, treasuryDatabase);
    admin = new pg.Pool({ connectionString: database.migrationUrl, max: 2 });
  });
  after(async () => {
    await db.close();
    await admin.end();
    await database.drop();
  });
  beforeEach(() => {
    association_id = newId();
    writers = [];
  });
  afterEach(() => Promise.all(writers.map((writer) => writer.stop())));

  const writer = (reached?: (step: string) => Promise<void>) => {
    const made = testWriter(db, reached);
    writers.push(made);
    return made;
  };
  const cashIn = (amount_minor: number, given: Partial<Posting> = {}) =>
    postingOf(association_id, { movement: legs('cash_funding', 'cash_treasury', amount_minor), ...given });
  const chain = (chain_id = association_id): Promise<TransferRecord[]> => transfersAfter(db, chain_id, 0, 1_000);
  const stored = async () => {
    const { rows } = await admin.query<{ table: string; rows: bigint }>(
      `SELECT 'chains' AS table, count(*) AS rows FROM chains WHERE chain_id = $1
       UNION ALL SELECT 'accounts', count(*) FROM accounts WHERE association_id = $1::uuid
       UNION ALL SELECT 'transfers', count(*) FROM transfers WHERE chain_id = $1
       UNION ALL SELECT 'entries', count(*) FROM entries WHERE starts_with(account_id, $1)
       UNION ALL SELECT 'outbox', count(*) FROM outbox WHERE association_id = $1::uuid`,
      [association_id],
    );
    return Object.fromEntries(rows.map((row) => [row.table, Number(row.rows)]));
  };
  const NOTHING = { chains: 0, accounts: 0, transfers: 0, entries: 0, outbox: 0 };

  it('posts each id once, in one gapless chain, when two processes are asked for the same', async () => {
    const [one, two] = [writer(), writer()];
    const postings = Array.from({ length: 60 }, (_, index) => cashIn(index + 1));
    const asked = [...postings, ...postings, ...postings.slice(0, 20)];
    const outcomes = await Promise.all(
      asked
        .map((posting, index) => (index % 2 === 0 ? one : two).post(posting))
        .concat(
          // And the other way round, so that both are asked for every id.
          asked.map((posting, index) => (index % 2 === 0 ? two : one).post(posting)),
        ),
    );
    const transfers = await chain();
    expect(transfers).to.have.length(60);
    expect(firstBreak(transfers)).to.equal(undefined);
    expect(transfers.map((each) => each.id)).to.have.members(postings.map((each) => each.id));
    const byId = new Map(transfers.map((each) => [each.id, each]));
    for (const outcome of outcomes) {
      if (outcome.status !== 'posted') throw new Error('a posting was not posted');
      expect(outcome.transfer).to.deep.equal(byId.get(outcome.transfer.id));
    }
    expect(await stored()).to.deep.equal({ chains: 1, accounts: 2, transfers: 60, entries: 120, outbox: 60 });
    const { rows } = await admin.query<{ balance: bigint }>('SELECT balance FROM accounts WHERE account_id = $1', [
      `${association_id}/cash_treasury`,
    ]);
    expect(rows[0]?.balance).to.equal(BigInt((60 * 61) / 2));
  });

  it('never lets two processes spend the same money', async () => {
    const [one, two] = [writer(), writer()];
    await one.post(cashIn(100));
    const spend = () => postingOf(association_id, { movement: legs('cash_treasury', 'cash_reserved', 7) });
    const outcomes = await Promise.all(Array.from({ length: 50 }, (_, n) => (n % 2 === 0 ? one : two).post(spend())));
    expect(outcomes.filter((outcome) => outcome.status === 'posted')).to.have.length(14);
    const refused = outcomes.filter((outcome) => outcome.status === 'refused');
    expect(refused.map((outcome) => outcome.refusal.code)).to.deep.equal(Array<string>(36).fill('insufficient_funds'));
    expect(firstBreak(await chain())).to.equal(undefined);
  });

  it('gives an id that two chains are asked for at once to one of them', async () => {
    const [one, two] = [writer(), writer()];
    const other = newId();
    for (let round = 0; round < 10; round += 1) {
      const id = newId();
      const outcomes = await Promise.all([
        one.post(cashIn(5, { id })),
        two.post({ ...cashIn(5, { id }), chain_id: other, association_id: other }),
      ]);
      expect(outcomes.map((outcome) => outcome.status).sort()).to.deep.equal(['conflict', 'posted']);
    }
    const [here, there] = [await chain(), await chain(other)];
    expect(here.length + there.length).to.equal(10);
    expect([firstBreak(here), firstBreak(there)]).to.deep.equal([undefined, undefined]);
  });

  it('does not wait in circles when processes move money across many chains', async () => {
    const [one, two] = [writer(), writer()];
    const associations = Array.from({ length: 6 }, newId);
    const postings = Array.from({ length: 240 }, (_, n) => {
      const chain_id = associations[n % 6] ?? '';
      return { ...cashIn(1), chain_id, association_id: chain_id };
    });
    const outcomes = await Promise.all(postings.map((posting, n) => (n % 3 === 0 ? one : two).post(posting)));
    expect(outcomes.every((outcome) => outcome.status === 'posted')).to.equal(true);
    for (const each of associations) expect(firstBreak(await chain(each))).to.equal(undefined);
  });

  it('leaves nothing of a batch whose process dies between lock and commit', async () => {
    let locked: () => void = () => undefined;
    const atLock = new Promise<void>((resolve) => (locked = resolve));
    const never = new Promise<void>(() => undefined);
    const dying = testWriter(db, (step) => {
      if (step === 'treasury.ledger.locked') locked();
      return step === 'treasury.ledger.locked' ? never : Promise.resolve();
    });
    const posting = cashIn(9);
    void dying.post(posting);
    await atLock;
    // Whoever comes meanwhile waits for the lock, and gets it when the dead process's session is gone.
    const outcome = writer().post(posting);
    await admin.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND state = 'idle in transaction'`,
    );
    expect((await outcome).status).to.equal('posted');
    expect((await chain()).map((each) => each.seq)).to.deep.equal([1]);
    expect(await stored()).to.deep.equal({ chains: 1, accounts: 2, transfers: 1, entries: 2, outbox: 1 });
  });

  it('leaves nothing of a batch that fails before its commit', async () => {
    const failing = writer((step) => {
      return step === 'treasury.ledger.locked' ? Promise.reject(new Error('stopped')) : Promise.resolve();
    });
    const posting = cashIn(9);
    const failure = await failing.post(posting).catch((error: unknown) => (error as Error).message);
    expect(failure).to.equal('stopped');
    expect(await stored()).to.deep.equal(NOTHING);
  });

  it('gives the first outcome after a stop between commit and answer', async () => {
    let stops = 1;
    const stopping = writer((step) =>
      step === 'treasury.ledger.committed' && stops-- > 0 ? Promise.reject(new Error('stopped')) : Promise.resolve(),
    );
    const posting = cashIn(9);
    await stopping.post(posting).catch(() => undefined);
    expect((await stopping.post(posting)).status).to.equal('posted');
    expect(await chain()).to.have.length(1);
  });

  it('posts the others when one of a batch breaks a constraint that the rules did not foresee', async () => {
    const broken = newId();
    await forgeEntry(admin, `${broken}/cash_funding`);
    const ledger = writer();
    const good = [cashIn(1), cashIn(2)];
    const bad = { ...cashIn(3), chain_id: broken, association_id: broken };
    const [first, failure, second] = await Promise.allSettled([
      ledger.post(good[0]!),
      ledger.post(bad),
      ledger.post(good[1]!),
    ]);
    expect([first.status, failure.status, second.status]).to.deep.equal(['fulfilled', 'rejected', 'fulfilled']);
    expect(await chain()).to.have.length(2);
    expect(await chain(broken)).to.deep.equal([]);
  });

  it('recovers from the loss of its connection', async () => {
    const ledger = writer();
    await ledger.post(cashIn(1));
    await admin.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND query = 'COMMIT' AND pid <> pg_backend_pid()`,
    );
    await eventually(async () => expect((await ledger.post(cashIn(1))).status).to.equal('posted'));
    expect(firstBreak(await chain())).to.equal(undefined);
  });

  it('answers all that it was asked before it stops', async () => {
    const stopping = testWriter(db);
    const outcomes: Promise<Outcome>[] = Array.from({ length: 40 }, () => stopping.post(cashIn(1)));
    await stopping.stop();
    expect((await Promise.all(outcomes)).every((outcome) => outcome.status === 'posted')).to.equal(true);
  });

  describe('its database', () => {
    beforeEach(async () => {
      await writer().post(cashIn(100));
    });

    /** The error code of a statement that must be refused. */
    const codeOf = (statement: Promise<unknown>) =>
      statement.then(
        () => 'done',
        (error: unknown) => (error as { code?: string }).code,
      );

    it('lets the service change of an account what a posting changes, and no more', async () => {
      const columns = ['account_id', 'association_id', 'name', 'money', 'currency', 'may_go_negative', 'owner_user_id'];
      for (const column of columns) {
        expect(await codeOf(db.run(`UPDATE accounts SET ${column} = ${column}`)), column).to.equal('42501');
      }
      await db.run('UPDATE accounts SET balance = balance, savings = savings, entry_count = entry_count');
    });

    for (const [table, column] of [
      ['transfers', 'reference'],
      ['entries', 'account_id'],
    ] as const) {
      const changes = [`UPDATE ${table} SET ${column} = 'forged'`, `DELETE FROM ${table}`, `TRUNCATE ${table}`];
      for (const statement of changes) {
        it(`refuses ${statement}: to the service for its rights, to others for what is append-only`, async () => {
          expect(await codeOf(db.run(statement))).to.equal('42501');
          expect(await codeOf(admin.query(statement))).to.equal('23001');
          expect(await chain()).to.have.length(1);
        });
      }
    }

    const constraintOf = (statement: string, ...values: unknown[]) =>
      admin.query(statement, values).then(
        () => 'done',
        (error: unknown) => (error as { constraint?: string }).constraint,
      );

    it('refuses entries that are not double entry', async () => {
      const [transfer] = await chain();
      const account_id = `${association_id}/cash_treasury`;
      for (const [account, transfer_id] of [
        [account_id, transfer?.id],
        ['nowhere', transfer?.id],
        [account_id, newId()],
      ]) {
        const entry = [account, transfer_id, 5];
        const refused = await constraintOf('INSERT INTO entries VALUES ($1, 99, $2, $3, 0)', ...entry);
        expect(refused).to.equal('entries_double_entry');
      }
    });

    it('refuses a balance below zero or its savings, or beyond what JSON holds', async () => {
      for (const [name, balance, savings, refused] of [
        ['cash_treasury', '-1', 0, 'accounts_not_negative'],
        ['cash_treasury', '9007199254740992', 0, 'accounts_balance_exact'],
        ['cash_funding', '-9007199254740992', 0, 'accounts_balance_exact'],
        ['cash_treasury', '99', 100, 'accounts_savings_held'],
        ['cash_treasury', '99', -1, 'accounts_savings_held'],
        ['cash_funding', '-100', 1, 'accounts_savings_held'],
        ['cash_treasury', '100', 100, 'done'],
        ['cash_funding', '-100', 0, 'done'],
      ] as const) {
        const change = 'UPDATE accounts SET balance = $2, savings = $3 WHERE account_id = $1';
        const outcome = await constraintOf(change, `${association_id}/${name}`, balance, savings);
        expect(outcome, `${name} ${balance} ${String(savings)}`).to.equal(refused);
      }
    });
  });
});

/** Takes the first place in an account's history, past all guards: what no rule could foresee. */
async function forgeEntry(admin: pg.Pool, account_id: string): Promise<void> {
  const client = await admin.connect();
  try {
    await client.query(`SET session_replication_role = 'replica'`);
    await client.query('INSERT INTO entries VALUES ($1, 1, $2, 1, 1)', [account_id, newId()]);
  } finally {
    client.release(true);
  }
}
