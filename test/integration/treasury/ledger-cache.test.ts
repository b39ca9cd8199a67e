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

describe('treasury: a ledger writer that has posted to a chain before', () => {
  const ledger = useLedger();
  let one: LedgerWriter;
  let two: LedgerWriter;
  /** The names of the statements that writer one has sent. */
  let sent: string[];

  beforeEach(() => {
    sent = [];
    const noted: Pick<Database, 'openBatches'> = {
      openBatches(connections_max) {
        const opened = ledger.db.openBatches(connections_max);
        return { pool: noting(opened.pool, sent), close: () => opened.close() };
      },
    };
    [one, two] = [ledger.writer(undefined, noted), ledger.writer()];
  });

  const refusals = () => ledger.sql('SELECT FROM transfers WHERE chain_id = $1 AND seq IS NULL', ledger.association_id);
  /** One gapless chain of so many transfers, and balances that are the sums of their entries. */
  const expectWhole = async (count: number) => {
    const transfers = await ledger.chain();
    expect(transfers).to.have.length(count);
    expect(firstBreak(transfers)).to.equal(undefined);
    for (const { account_id, balance, sum } of await ledger.balances()) expect(balance, account_id).to.equal(sum);
  };
  const expectPosted = (...outcomes: (Outcome | undefined)[]) => {
    for (const outcome of outcomes) expect(outcome?.status).to.equal('posted');
  };

  it('writes by one statement, without locks taken before', async () => {
    await one.post(ledger.cashIn(1));
    sent.length = 0;
    expectPosted(await one.post(ledger.cashIn(1)));
    expect(sent).to.deep.equal(['ledger.write_if_unchanged']);
    await expectWhole(2);
  });

  it('writes under locks what it had decided by a head that another process has moved', async () => {
    await one.post(ledger.cashIn(1));
    await two.post(ledger.cashIn(2));
    sent.length = 0;
    expectPosted(await one.post(ledger.cashIn(3)));
    expect(sent).to.include('ledger.lock_chains');
    expect(sent[0]).to.equal('ledger.write_if_unchanged');
    await expectWhole(3);
  });

  it('never spends what another process has spent meanwhile', async () => {
    await one.post(ledger.cashIn(100));
    await two.post(ledger.spend(90));
    expect((await one.post(ledger.spend(20))).status).to.equal('refused');
    expect(await refusals()).to.have.length(1);
  });

  it('never refuses for want of what has come in meanwhile through another process', async () => {
    await one.post(ledger.cashIn(10));
    await two.post(ledger.cashIn(90));
    expectPosted(await one.post(ledger.spend(50)));
    expect(await refusals()).to.have.length(0);
  });

  it('gives the first outcome of an id that it has posted itself, or another process has', async () => {
    const [own, others] = [ledger.cashIn(5), ledger.cashIn(6)];
    const first = await one.post(own);
    const second = await two.post(others);
    expect(transferOf(await one.post(own))).to.deep.equal(transferOf(first));
    expect(transferOf(await one.post(others))).to.deep.equal(transferOf(second));
    expect((await one.post({ ...own, movement: ledger.cashIn(7).movement })).status).to.equal('conflict');
    expect(await ledger.chain()).to.have.length(2);
  });

  it('gives one outcome for an id that comes again while its first batch is being written', async () => {
    await one.post(ledger.cashIn(1));
    const postings = Array.from({ length: 100 }, () => ledger.cashIn(1));
    const firsts = postings.map((posting) => one.post(posting));
    await new Promise(setImmediate);
    const again = postings.map((posting) => one.post(posting));
    expect((await Promise.all(again)).map(transferOf)).to.deep.equal((await Promise.all(firsts)).map(transferOf));
    expect(await ledger.chain()).to.have.length(101);
  });

  describe('that has decided ahead of a batch that is not written', () => {
    let ahead: ReturnType<typeof heldWriter>;
    let other: ReturnType<typeof heldWriter>;
    beforeEach(() => {
      [ahead, other] = [heldWriter(ledger), heldWriter(ledger)];
    });

    it('takes no other transfer for it that has the same place in the chain', async () => {
      await ahead.post(ledger.cashIn(1));
      const theirs = other.hold();
      const posted = other.post(ledger.cashIn(5));
      await theirs.decided;
      // The first batch finds the chain at work and is not written; the second is decided on top of it.
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

    it('takes no other movement of a wallet for it that has the same number', async () => {
      const [wallet, elsewhere] = [newId(), newId()];
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
          ...{ chain_id, association_id: chain_id, payer_user_id: 'u' },
          movement: legs(account, 'treasury', amount),
        });
      await other.post(deposit());
      // It knows both chains, and the wallet with its 100 - 1 - 1.
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
      // Another movement, of another amount, takes the number in the wallet's history that the first was to have.
      const third = ledger.writer();
      await third.post(deposit());
      second.go();
      await pause();
      theirs.go();
      await posted;
      // What the last one lacked came with the deposit.
      expectPosted(...(await Promise.all([first, last])));
      await expectWhole(3);
    });
  });

  it('posts everything once, in one chain, however two processes overtake one another', async () => {
    const postings = Array.from({ length: 600 }, (_, n) => (n % 3 === 0 ? ledger.spend(1) : ledger.cashIn(2)));
    await one.post(ledger.cashIn(1_000));
    const outcomes = postings.map(async (posting, n) => {
      // Spread over some turns of the event loop, so that batches of both are under way at the same time.
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

/** Long enough for a statement to be answered. */
const pause = () => new Promise((resolve) => setTimeout(resolve, 100));

/** A writer whose next batches wait, each in its turn, between their decision and their writing. */
function heldWriter(ledger: TestLedger) {
  let holds: { reached: () => void; until: Promise<void> }[] = [];
  const made = ledger.writer((step) => {
    const hold = step === 'treasury.ledger.decided' ? holds.shift() : undefined;
    hold?.reached();
    return hold?.until ?? Promise.resolve();
  });
  /** Holds the next batch, or, if told what to do once that is decided and not yet sent, the one after it. */
  const hold = (meanwhile?: () => void) => {
    const [decided, gone] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const pass = meanwhile === undefined ? [] : [{ reached: meanwhile, until: Promise.resolve() }];
    holds = [...pass, { reached: decided.resolve, until: gone.promise }];
    return { decided: decided.promise, go: gone.resolve };
  };
  return Object.assign(made, { hold });
}

/** Notes the names of the statements that a pool is given. */
function noting(pool: Pool, sent: string[]): Pool {
  const note = <D extends Db>(db: D): D => {
    const noted = (statement: Statement) => sent.push(typeof statement === 'string' ? statement : statement.name);
    return new Proxy(db, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== 'function' || !['rows', 'first', 'run', 'send'].includes(String(name))) return member;
        return (...given: [Statement, ...unknown[]]): unknown => {
          noted(given[0]);
          return member.apply(target, given) as unknown;
        };
      },
    });
  };
  return {
    ...note(pool),
    session: async () => note(await pool.session()),
    transaction: (work) => pool.transaction((tx) => work(note(tx))),
  };
}
