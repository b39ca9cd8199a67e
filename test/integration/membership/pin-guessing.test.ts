import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import pg from 'pg';
import { eventually } from '../../harness/eventually.ts';
import { useAssociation } from '../../harness/membership.ts';
import { atOnce, outcomeOf } from '../../harness/refusal.ts';

const RIGHT = '246810';
const WRONG = '135790';

/** The number of connections of the service that may wait: all except the connection of the relay. */
const CONNECTIONS = 9;
/** Long enough for an attempt that does not have to wait. */
const IMMEDIATE_MS = 400;

describe('guessing PINs while all database connections are busy', () => {
  const harness = useAssociation();
  let holder: pg.PoolClient;
  let busy: Promise<unknown>;
  let victim: string;
  let mallory: string;

  beforeEach(async () => {
    mallory = await harness.newMember(RIGHT);
    victim = await harness.newMember(RIGHT);
    await takeAllConnections();
  });
  afterEach(releaseConnections);

  const guess = async (user_id: string, pin: string) => outcomeOf(harness.pay(user_id, await harness.seal(pin)));

  /** Makes all connections wait, by wrong attempts at a PIN whose row another transaction has locked. */
  async function takeAllConnections(): Promise<void> {
    holder = await harness.admin.connect();
    await holder.query('BEGIN');
    await holder.query('SELECT FROM pins WHERE user_id = $1 FOR UPDATE', [mallory]);
    busy = Promise.all(atOnce(CONNECTIONS, () => guess(mallory, WRONG)));
    const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    await eventually(async () => expect(await harness.sql(waiting)).to.have.length(CONNECTIONS));
  }

  async function releaseConnections(): Promise<void> {
    await holder.query('COMMIT');
    holder.release();
    await busy;
  }

  it('does not accept the right PIN before a wrong one is counted', async () => {
    const answers: string[] = [];
    const wrong = guess(victim, WRONG).then((code) => answers.push(code));
    await sleep(IMMEDIATE_MS);
    const right = guess(victim, RIGHT).then((code) => answers.push(code));
    await sleep(IMMEDIATE_MS);
    expect(answers).to.deep.equal([]);
    await holder.query('COMMIT');
    await Promise.all([wrong, right]);
    // Both get a connection then and are checked one after the other; the lock decides which is first.
    expect(answers).to.have.members(['pin_invalid', 'done']);
  });

  it('does not accept the right PIN after a wrong one could not be counted, until the database can check again', async () => {
    expect(await guess(victim, WRONG)).to.equal('service_unavailable');
    const waiting = guess(victim, RIGHT);
    expect(await Promise.race([waiting, sleep(IMMEDIATE_MS, 'waits')])).to.equal('waits');
    await releaseConnections();
    expect(await waiting).to.equal('done');
    await takeAllConnections();
    // No attempt is uncounted any more, so the right PIN does not wait for a connection.
    expect(await guess(victim, RIGHT)).to.equal('done');
    const [row] = await harness.sql('SELECT failed_attempts FROM pins WHERE user_id = $1', victim);
    expect(row).to.deep.equal({ failed_attempts: 0 });
  });
});

describe('the answer to a used ciphertext', () => {
  const harness = useAssociation();

  it('costs the same statements whether it contains the right PIN or a wrong one', async () => {
    const victim = await harness.newMember(RIGHT);
    const mallory = await harness.newMember(RIGHT);
    const costs: string[][] = [];
    for (const pin of [RIGHT, WRONG]) {
      const used = await harness.seal(pin);
      await outcomeOf(harness.pay(mallory, used));
      costs.push(
        await statementsOf(async () => expect(await outcomeOf(harness.pay(victim, used))).to.equal('pin_replayed')),
      );
    }
    expect(costs[0]).to.have.length.above(3).and.deep.equal(costs[1]);
  });

  /** Returns the statements about PINs that this process sends meanwhile. */
  async function statementsOf(work: () => Promise<unknown>): Promise<string[]> {
    const sent: string[] = [];
    // One type for all overloads of query().
    const { prototype } = pg.Client as unknown as { prototype: { query: (...args: unknown[]) => unknown } };
    const { query } = prototype;
    prototype.query = function (...args) {
      const text = typeof args[0] === 'string' ? args[0] : ((args[0] as { text?: string }).text ?? '');
      if (/\b(pins|used_ciphertexts|members)\b|^(BEGIN|COMMIT|ROLLBACK)/i.test(text)) sent.push(text);
      return query.apply(this, args);
    };
    try {
      await work();
      return sent;
    } finally {
      prototype.query = query;
    }
  }
});
