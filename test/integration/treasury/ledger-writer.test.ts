import { expect } from 'chai';
import { firstBreak } from '../../harness/chain.ts';
import { eventually } from '../../harness/eventually.ts';
import { testWriter, useLedger } from '../../harness/ledger.ts';
import { atOnce, INSUFFICIENT_PRIVILEGE, outcomeOf } from '../../harness/refusal.ts';
import { testIds } from '../../harness/runtime.ts';

const newId = testIds();
/** The PostgreSQL error code that the guards of append-only tables raise. */
const RESTRICTED = '23001';

const BATCHES = 40;
const BATCH_SIZE = 10;
/** The rows of a transfer that its own batch reads: one for each entry, and some for the checks before the write. */
const READS_PER_TRANSFER_MAX = 6;

describe('treasury: the ledger writer', () => {
  const ledger = useLedger();

  const stored = async () => {
    const rows = await ledger.sql<{ table: string; rows: bigint }>(
      `SELECT 'chains' AS table, count(*) AS rows FROM chains WHERE chain_id = $1
       UNION ALL SELECT 'accounts', count(*) FROM accounts WHERE association_id = $1::uuid
       UNION ALL SELECT 'transfers', count(*) FROM transfers WHERE chain_id = $1
       UNION ALL SELECT 'entries', count(*) FROM entries WHERE starts_with(account_id, $1)
       UNION ALL SELECT 'outbox', count(*) FROM outbox WHERE association_id = $1::uuid`,
      ledger.association_id,
    );
    return Object.fromEntries(rows.map((row) => [row.table, Number(row.rows)]));
  };
  /** Fails the first batch that reaches this fault point. */
  const stopOnceAt = (point: string) => {
    let stops = 0;
    return (step: string) =>
      step === point && (stops += 1) === 1 ? Promise.reject(new Error('stopped')) : Promise.resolve();
  };

  it('posts each id once, in one gapless chain, when two processes get the same postings', async () => {
    const one = ledger.writer();
    const two = ledger.writer();
    const postings = Array.from({ length: 60 }, (_, index) => ledger.cashIn(index + 1));
    const asked = [...postings, ...postings, ...postings.slice(0, 20)];
    // The processes get the postings alternately, and every id more than once.
    const alternate = (n: number) => asked.map((posting, index) => (index % 2 === n ? one : two).post(posting));
    const outcomes = await Promise.all([...alternate(0), ...alternate(1)]);
    const transfers = await ledger.chain();
    expect(transfers).to.have.length(60);
    expect(firstBreak(transfers)).to.equal(undefined);
    expect(transfers.map((each) => each.id)).to.have.members(postings.map((each) => each.id));
    const byId = new Map(transfers.map((each) => [each.id, each]));
    for (const outcome of outcomes) {
      if (outcome.status !== 'posted') throw new Error('a posting was not posted');
      expect(outcome.transfer).to.deep.equal(byId.get(outcome.transfer.id));
    }
    expect(await stored()).to.deep.equal({ chains: 1, accounts: 2, transfers: 60, entries: 120, outbox: 60 });
    const text = 'SELECT balance FROM accounts WHERE account_id = $1';
    const rows = await ledger.sql(text, `${ledger.association_id}/cash_treasury`);
    expect(rows).to.deep.equal([{ balance: BigInt((60 * 61) / 2) }]);
  });

  it('never lets two processes spend the same money', async () => {
    const one = ledger.writer();
    const two = ledger.writer();
    await one.post(ledger.cashIn(100));
    const outcomes = await Promise.all(atOnce(50, (n) => (n % 2 === 0 ? one : two).post(ledger.spend(7))));
    expect(outcomes.filter((outcome) => outcome.status === 'posted')).to.have.length(14);
    const refused = outcomes.filter((outcome) => outcome.status === 'refused');
    expect(refused.map((outcome) => outcome.refusal.code)).to.deep.equal(Array<string>(36).fill('insufficient_funds'));
    expect(firstBreak(await ledger.chain())).to.equal(undefined);
  });

  it('posts an id to only one of two chains when both get it concurrently', async () => {
    const one = ledger.writer();
    const two = ledger.writer();
    const other = newId();
    for (let round = 0; round < 10; round += 1) {
      const id = newId();
      const outcomes = await Promise.all([
        one.post(ledger.cashIn(5, { id })),
        two.post(ledger.cashIn(5, { id, chain_id: other, association_id: other })),
      ]);
      expect(outcomes.map((outcome) => outcome.status).sort()).to.deep.equal(['conflict', 'posted']);
    }
    const here = await ledger.chain();
    const there = await ledger.chain(other);
    expect(here.length + there.length).to.equal(10);
    expect([firstBreak(here), firstBreak(there)]).to.deep.equal([undefined, undefined]);
  });

  it('does not deadlock when processes move money on many chains', async () => {
    const one = ledger.writer();
    const two = ledger.writer();
    const associations = Array.from({ length: 6 }, newId);
    const outcomes = await Promise.all(
      atOnce(240, (n) => {
        const chain_id = associations[n % 6]!;
        return (n % 3 === 0 ? one : two).post(ledger.cashIn(1, { chain_id, association_id: chain_id }));
      }),
    );
    expect(outcomes.every((outcome) => outcome.status === 'posted')).to.equal(true);
    for (const each of associations) expect(firstBreak(await ledger.chain(each))).to.equal(undefined);
  });

  it('writes nothing of a batch whose process dies between lock and commit', async () => {
    const locked = Promise.withResolvers<void>();
    const dying = testWriter(ledger.db, async (step) => {
      if (step !== 'treasury.ledger.decided') return;
      locked.resolve();
      await new Promise(() => undefined);
    });
    const posting = ledger.cashIn(9);
    void dying.post(posting);
    await locked.promise;
    const [session] = await ledger.sql<{ pid: number }>(
      `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND state = 'idle in transaction'`,
    );
    // Another writer waits for the lock, and gets it when the session of the dead process has ended.
    const outcome = ledger.writer().post(posting);
    await ledger.sql('SELECT pg_terminate_backend($1)', session?.pid);
    expect((await outcome).status).to.equal('posted');
    expect((await ledger.chain()).map((each) => each.seq)).to.deep.equal([1]);
    expect(await stored()).to.deep.equal({ chains: 1, accounts: 2, transfers: 1, entries: 2, outbox: 1 });
  });

  it('writes nothing of a batch that fails before its commit', async () => {
    const failing = ledger.writer(stopOnceAt('treasury.ledger.decided'));
    expect(await outcomeOf(failing.post(ledger.cashIn(9)))).to.equal('stopped');
    expect(await stored()).to.deep.equal({ chains: 0, accounts: 0, transfers: 0, entries: 0, outbox: 0 });
  });

  it('returns the first outcome after a failure between commit and answer', async () => {
    const stopping = ledger.writer(stopOnceAt('treasury.ledger.committed'));
    const posting = ledger.cashIn(9);
    expect(await outcomeOf(stopping.post(posting))).to.equal('stopped');
    expect((await stopping.post(posting)).status).to.equal('posted');
    expect(await ledger.chain()).to.have.length(1);
  });

  it('posts the rest of a batch when one posting violates a database constraint', async () => {
    const broken = newId();
    // Occupies the first entry of an account, bypassing all guards.
    await ledger.sql(
      `WITH past_guards AS (SELECT set_config('session_replication_role', 'replica', true))
       INSERT INTO entries SELECT $1, 1, $2, 1, 1 FROM past_guards`,
      `${broken}/cash_funding`,
      newId(),
    );
    const poster = ledger.writer();
    const bad = ledger.cashIn(3, { chain_id: broken, association_id: broken });
    const postings = [ledger.cashIn(1), bad, ledger.cashIn(2)].map((posting) => poster.post(posting));
    const outcomes = await Promise.allSettled(postings);
    expect(outcomes.map(({ status }) => status)).to.deep.equal(['fulfilled', 'rejected', 'fulfilled']);
    expect(await ledger.chain()).to.have.length(2);
    expect(await ledger.chain(broken)).to.deep.equal([]);
  });

  it('recovers from the loss of its connection', async () => {
    const poster = ledger.writer();
    await poster.post(ledger.cashIn(1));
    await ledger.sql(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND query = 'COMMIT' AND pid <> pg_backend_pid()`,
    );
    await eventually(async () => expect((await poster.post(ledger.cashIn(1))).status).to.equal('posted'));
    expect(firstBreak(await ledger.chain())).to.equal(undefined);
  });

  it('answers all postings that it got before it stops', async () => {
    const stopping = testWriter(ledger.db);
    const outcomes = atOnce(40, () => stopping.post(ledger.cashIn(1)));
    await stopping.stop();
    expect((await Promise.all(outcomes)).every((outcome) => outcome.status === 'posted')).to.equal(true);
  });

  describe('in the database', () => {
    beforeEach(async () => {
      await ledger.writer().post(ledger.cashIn(100));
    });

    it('has only the privilege to update the balance, savings and entry count of an account', async () => {
      const columns = ['account_id', 'association_id', 'name', 'money', 'currency', 'may_go_negative', 'owner_user_id'];
      for (const column of columns) {
        const change = ledger.db.run(`UPDATE accounts SET ${column} = ${column}`);
        expect(await outcomeOf(change), column).to.equal(INSUFFICIENT_PRIVILEGE);
      }
      await ledger.db.run('UPDATE accounts SET balance = balance, savings = savings, entry_count = entry_count');
    });

    for (const [table, column] of [
      ['transfers', 'reference'],
      ['entries', 'account_id'],
    ] as const) {
      const changes = [`UPDATE ${table} SET ${column} = 'forged'`, `DELETE FROM ${table}`, `TRUNCATE ${table}`];
      for (const statement of changes) {
        it(`has no privilege to ${statement}, and append-only guards refuse that to other roles`, async () => {
          expect(await outcomeOf(ledger.db.run(statement))).to.equal(INSUFFICIENT_PRIVILEGE);
          expect(await outcomeOf(ledger.sql(statement))).to.equal(RESTRICTED);
          expect(await ledger.chain()).to.have.length(1);
        });
      }
    }

    it('is guarded against entries that are not double entry', async () => {
      const [transfer] = await ledger.chain();
      const refused = ledger.spend(1_000_000);
      expect(await ledger.writer().post(refused)).to.include({ status: 'refused' });
      const account_id = `${ledger.association_id}/cash_treasury`;
      for (const [account, transfer_id] of [
        [account_id, transfer?.id],
        ['nowhere', transfer?.id],
        [account_id, newId()],
        [account_id, refused.id],
      ]) {
        const insert = ledger.sql('INSERT INTO entries VALUES ($1, 99, $2, 5, 0)', account, transfer_id);
        expect(await outcomeOf(insert)).to.equal('entries_double_entry');
      }
    });

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
      it(`gets ${refused} for a balance of ${balance} in ${name} with savings of ${String(savings)}`, async () => {
        const change = 'UPDATE accounts SET balance = $2, savings = $3 WHERE account_id = $1';
        const outcome = outcomeOf(ledger.sql(change, `${ledger.association_id}/${name}`, balance, savings));
        expect(await outcome).to.equal(refused);
      });
    }
  });
});

describe('treasury: the check of double entry', () => {
  const ledger = useLedger();

  it('looks up transfers by id, even if the table was analyzed when it was nearly empty', async () => {
    await ledger.writer().post(ledger.cashIn(1));
    await ledger.sql('VACUUM (ANALYZE) transfers');
    const writer = ledger.writer();
    for (let batch = 0; batch < BATCHES; batch += 1) {
      await Promise.all(Array.from({ length: BATCH_SIZE }, () => writer.post(ledger.cashIn(1))));
    }
    // Sessions report what they have read when they end.
    await ledger.stopWriters();
    const read = await eventually(async () => {
      const [table] = await ledger.sql<{ written: bigint; read: bigint }>(
        `SELECT n_tup_ins AS written, seq_tup_read + idx_tup_fetch AS read
         FROM pg_stat_user_tables WHERE relname = 'transfers'`,
      );
      expect(table?.written).to.equal(BigInt(BATCHES * BATCH_SIZE + 1));
      return Number(table?.read);
    });
    expect(read).to.be.at.most(READS_PER_TRANSFER_MAX * BATCHES * BATCH_SIZE);
  });
});
