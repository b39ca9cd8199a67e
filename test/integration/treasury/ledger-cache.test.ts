import { expect } from 'chai';
import type { TransferRecord } from '../../../lib/contracts/treasury.ts';
import type { Database } from '../../../lib/db/database.ts';
import type { Db, Pool, Statement } from '../../../lib/db/db.ts';
import type { LedgerWriter } from '../../../services/treasury/ledger/ledger-writer.ts';
import type { Outcome } from '../../../services/treasury/ledger/posting.rules.ts';
import { firstBreak } from '../../harness/chain.ts';
import { postingOf, useLedger, type TestLedger } from '../../harness/ledger.ts';
import { testIds } from '../../harness/runtime.ts';
import { legs } from '../../harness/treasury.ts';

const newId = testIds();

describe('treasury: a ledger writer with a cached chain', () => {
  const ledger = useLedger();
  let one: LedgerWriter;
  let two: LedgerWriter;
  /** The names of the statements that writer `one` has sent. */
  let sent: string[];

  beforeEach(() => {
    sent = [];
    const recorded: Pick<Database, 'openBatches'> = {
      openBatches(kind, connections_max) {
        const opened = ledger.db.openBatches(kind, connections_max);
        return { pool: recordStatements(opened.pool, sent), close: () => opened.close() };
      },
    };
    one = ledger.writer(undefined, recorded);
    two = ledger.writer();
  });

  const refusals = () => ledger.sql('SELECT FROM transfers WHERE chain_id = $1 AND seq IS NULL', ledger.association_id);
  /** Expects a gapless chain of `count` transfers, and balances that are the sums of their entries. */
  const expectWhole = async (count: number) => {
    const transfers = await ledger.chain();
    expect(transfers).to.have.length(count);
    expect(firstBreak(transfers)).to.equal(undefined);
    for (const { account_id, balance, sum } of await ledger.balances()) expect(balance, account_id).to.equal(sum);
  };
  const expectPosted = (...outcomes: (Outcome | undefined)[]) => {
    for (const outcome of outcomes) expect(outcome?.status).to.equal('posted');
  };

  it('posts with one statement, without locks', async () => {
    await one.post(ledger.cashIn(1));
    sent.length = 0;
    expectPosted(await one.post(ledger.cashIn(1)));
    expect(sent).to.deep.equal(['ledger.write_if_unchanged']);
    await expectWhole(2);
  });

  it('posts again with locks if another process has extended the chain since then', async () => {
    await one.post(ledger.cashIn(1));
    await two.post(ledger.cashIn(2));
    sent.length = 0;
    expectPosted(await one.post(ledger.cashIn(3)));
    expect(sent).to.include('ledger.lock_chains');
    expect(sent[0]).to.equal('ledger.write_if_unchanged');
    await expectWhole(3);
  });

  it('does not spend funds that another process has spent', async () => {
    await one.post(ledger.cashIn(100));
    await two.post(ledger.spend(90));
    expect((await one.post(ledger.spend(20))).status).to.equal('refused');
    expect(await refusals()).to.have.length(1);
  });

  it('sees funds credited by another process', async () => {
    await one.post(ledger.cashIn(10));
    await two.post(ledger.cashIn(90));
    expectPosted(await one.post(ledger.spend(50)));
    expect(await refusals()).to.have.length(0);
  });

  it('returns the first outcome of an id that it or another process has posted', async () => {
    const own = ledger.cashIn(5);
    const others = ledger.cashIn(6);
    const first = await one.post(own);
    const second = await two.post(others);
    expect(transferOf(await one.post(own))).to.deep.equal(transferOf(first));
    expect(transferOf(await one.post(others))).to.deep.equal(transferOf(second));
    expect((await one.post({ ...own, movement: ledger.cashIn(7).movement })).status).to.equal('conflict');
    expect(await ledger.chain()).to.have.length(2);
  });

  it('returns the same outcome for an id that is repeated while its first batch is being written', async () => {
    await one.post(ledger.cashIn(1));
    const postings = Array.from({ length: 100 }, () => ledger.cashIn(1));
    const firsts = postings.map((posting) => one.post(posting));
    await new Promise(setImmediate);
    const again = postings.map((posting) => one.post(posting));
    expect((await Promise.all(again)).map(transferOf)).to.deep.equal((await Promise.all(firsts)).map(transferOf));
    expect(await ledger.chain()).to.have.length(101);
  });

  describe('that has decided a batch before the previous one is written', () => {
    let ahead: ReturnType<typeof heldWriter>;
    let other: ReturnType<typeof heldWriter>;
    beforeEach(() => {
      ahead = heldWriter(ledger);
      other = heldWriter(ledger);
    });

    it('does not mistake another transfer at the same seq for its own', async () => {
      await ahead.post(ledger.cashIn(1));
      const theirs = other.hold();
      const posted = other.post(ledger.cashIn(5));
      await theirs.decided;
      // The first batch finds the chain locked and is not written; the second is decided as if it were.
      let two: Promise<Outcome> | undefined;
      const second = ahead.hold(() => {
        two = ahead.post(ledger.cashIn(20));
      });
      const one = ahead.post(ledger.cashIn(1_000));
      await second.decided;
      await pause();
      theirs.go();
      await posted;
      second.go();
      expectPosted(...(await Promise.all([one, two])));
      await expectWhole(4);
    });

    it('does not mistake another wallet entry with the same number for its own', async () => {
      const wallet = newId();
      const elsewhere = newId();
      const account = `wallet:${wallet}`;
      await ledger.sql(
        `INSERT INTO accounts (account_id, name, money, currency, owner_user_id, may_go_negative, created_at)
         VALUES ($1, $1, 'emoney', 'XAF', 'u', false, now())`,
        account,
      );
      const ofWallet = { chain_id: account, association_id: null };
      const deposit = () => postingOf(ledger.association_id, { ...ofWallet, movement: legs('funding', account, 100) });
      const pay = (chain_id: string, amount: number) =>
        postingOf(ledger.association_id, {
          chain_id,
          association_id: chain_id,
          payer_user_id: 'u',
          movement: legs(account, 'treasury', amount),
        });
      await other.post(deposit());
      // It has cached both chains, and the wallet with its 100 - 1 - 1.
      await ahead.post(pay(ledger.association_id, 1));
      await ahead.post(pay(elsewhere, 1));
      const theirs = other.hold();
      const posted = other.post(ledger.cashIn(5));
      await theirs.decided;
      let last: Promise<Outcome> | undefined;
      const second = ahead.hold(() => {
        last = ahead.post(pay(elsewhere, 5));
      });
      const first = ahead.post(pay(ledger.association_id, 90));
      await second.decided;
      await pause();
      // A deposit of another amount gets the entry number of the wallet that the first payment expected.
      const third = ledger.writer();
      await third.post(deposit());
      second.go();
      await pause();
      theirs.go();
      await posted;
      // The deposit has brought the funds that the last payment needs.
      expectPosted(...(await Promise.all([first, last])));
      await expectWhole(3);
    });
  });

  it('posts every transfer once, in one chain, when two processes overtake one another', async () => {
    const postings = Array.from({ length: 600 }, (_, n) => (n % 3 === 0 ? ledger.spend(1) : ledger.cashIn(2)));
    await one.post(ledger.cashIn(1_000));
    const outcomes = postings.map(async (posting, n) => {
      // Spread over several turns of the event loop, so that batches of both processes are concurrent.
      for (let turns = n % 40; turns > 0; turns -= 1) await new Promise(setImmediate);
      return (n % 2 === 0 ? one : two).post(posting);
    });
    expectPosted(...(await Promise.all(outcomes)));
    await expectWhole(601);
  });
});

function transferOf(outcome: Outcome): TransferRecord {
  if (outcome.status !== 'posted') throw new Error(`It is ${outcome.status}`);
  return outcome.transfer;
}

/** Waits long enough for a statement to be answered. */
const pause = () => new Promise((resolve) => setTimeout(resolve, 100));

/** Creates a writer whose held batches wait, one after the other, between their decision and their statement. */
function heldWriter(ledger: TestLedger) {
  let holds: { reached: () => void; until: Promise<void> }[] = [];
  const made = ledger.writer((step) => {
    const hold = step === 'treasury.ledger.decided' ? holds.shift() : undefined;
    hold?.reached();
    return hold?.until ?? Promise.resolve();
  });
  /** Holds the next batch; with `meanwhile`, calls it when the next batch is decided and holds the one after it. */
  const hold = (meanwhile?: () => void) => {
    const decided = Promise.withResolvers<void>();
    const gone = Promise.withResolvers<void>();
    const pass = meanwhile === undefined ? [] : [{ reached: meanwhile, until: Promise.resolve() }];
    holds = [...pass, { reached: decided.resolve, until: gone.promise }];
    return { decided: decided.promise, go: gone.resolve };
  };
  return Object.assign(made, { hold });
}

/** Wraps a pool so that the names of its statements are added to `sent`. */
function recordStatements(pool: Pool, sent: string[]): Pool {
  const record = <D extends Db>(db: D): D => {
    const add = (statement: Statement) => sent.push(typeof statement === 'string' ? statement : statement.name);
    return new Proxy(db, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== 'function' || !['rows', 'first', 'run', 'send'].includes(String(name))) return member;
        return (...given: [Statement, ...unknown[]]): unknown => {
          add(given[0]);
          return member.apply(target, given) as unknown;
        };
      },
    });
  };
  return {
    ...record(pool),
    session: async () => record(await pool.session()),
    transaction: (work) => pool.transaction((tx) => work(record(tx))),
  };
}
