import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import pg from 'pg';
import { useMembership } from '../../harness/membership.ts';
import { outcomeOf } from '../../harness/refusal.ts';

const RIGHT = '246810';
const WRONG = '135790';

/** As many as the service has connections that may wait: all but the relay's. */
const CONNECTIONS = 15;
/** Long enough for an attempt that need not wait. */
const AT_ONCE_MS = 400;

describe('PINs: guessing while the database is busy', () => {
  const bench = useMembership();
  let association_id: string;
  let holder: pg.Client;
  let busy: Promise<unknown>;
  let victim: string;
  let mallory: string;

  before(async () => {
    ({ id: association_id } = await bench.found('host', { max_members: 200 }));
    mallory = await bench.newMember(association_id, RIGHT);
  });
  beforeEach(async () => {
    victim = await bench.newMember(association_id, RIGHT);
    await takeAllConnections();
  });
  afterEach(giveThemBack);

  /** By wrong attempts at a PIN whose row another transaction holds. */
  async function takeAllConnections(): Promise<void> {
    holder = new pg.Client({ connectionString: bench.database.migrationUrl });
    await holder.connect();
    await holder.query('BEGIN');
    await holder.query('SELECT FROM pins WHERE user_id = $1 FOR UPDATE', [mallory]);
    busy = Promise.all(Array.from({ length: CONNECTIONS }, () => guess(mallory, WRONG)));
    for (;;) {
      const waiting = await bench.sql(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      if (waiting.length === CONNECTIONS) return;
      await sleep(10);
    }
  }

  async function giveThemBack(): Promise<void> {
    await holder.query('COMMIT');
    await holder.end();
    await busy;
  }

  const guess = async (user_id: string, pin: string) =>
    outcomeOf(bench.pay(association_id, user_id, await bench.seal(pin)));

  const failedAttempts = async () => {
    const [row] = await bench.sql<{ failed_attempts: number }>(
      'SELECT failed_attempts FROM pins WHERE user_id = $1',
      victim,
    );
    return row?.failed_attempts;
  };

  it('lets no right PIN pass ahead of a wrong one that has yet to be counted', async () => {
    const answers: (string | undefined)[] = [];
    const wrong = guess(victim, WRONG).then((code) => answers.push(code));
    await sleep(AT_ONCE_MS);
    const right = guess(victim, RIGHT).then((code) => answers.push(code));
    await sleep(AT_ONCE_MS);
    expect(answers).to.deep.equal([]);
    await holder.query('COMMIT');
    await holder.query('BEGIN');
    await Promise.all([wrong, right]);
    // Both get a connection at once then, and are judged one at a time: which of them first is left to the lock.
    expect(answers).to.have.members(['pin_invalid', 'done']);
  });

  it('lets no right PIN pass after a wrong one that could not be counted, until one is judged again', async () => {
    expect(await guess(victim, WRONG)).to.equal('service_unavailable');
    const waiting = guess(victim, RIGHT);
    expect(await Promise.race([waiting, sleep(AT_ONCE_MS, 'waits')])).to.equal('waits');
    await giveThemBack();
    expect(await waiting).to.equal('done');
    await takeAllConnections();
    // Nothing is left uncounted: it need not wait for a connection.
    expect(await guess(victim, RIGHT)).to.equal('done');
    expect(await failedAttempts()).to.equal(0);
  });
});
