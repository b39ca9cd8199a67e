import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type pg from 'pg';
import { eventually } from '../../harness/eventually.ts';
import { useAssociation } from '../../harness/membership.ts';
import { atOnce, outcomeOf } from '../../harness/refusal.ts';

const RIGHT = '246810';
const WRONG = '135790';

/** As many as the service has connections that may wait: all but the relay's. */
const CONNECTIONS = 15;
/** Long enough for an attempt that need not wait. */
const AT_ONCE_MS = 400;

describe('PINs: guessing while the database is busy', () => {
  const harness = useAssociation();
  let holder: pg.PoolClient;
  let busy: Promise<unknown>;
  let victim: string;
  let mallory: string;

  beforeEach(async () => {
    [mallory, victim] = [await harness.newMember(RIGHT), await harness.newMember(RIGHT)];
    await takeAllConnections();
  });
  afterEach(giveThemBack);

  const guess = async (user_id: string, pin: string) => outcomeOf(harness.pay(user_id, await harness.seal(pin)));

  /** By wrong attempts at a PIN whose row another transaction holds. */
  async function takeAllConnections(): Promise<void> {
    holder = await harness.admin.connect();
    await holder.query('BEGIN');
    await holder.query('SELECT FROM pins WHERE user_id = $1 FOR UPDATE', [mallory]);
    busy = Promise.all(atOnce(CONNECTIONS, () => guess(mallory, WRONG)));
    const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    await eventually(async () => expect(await harness.sql(waiting)).to.have.length(CONNECTIONS));
  }

  async function giveThemBack(): Promise<void> {
    await holder.query('COMMIT');
    holder.release();
    await busy;
  }

  it('lets no right PIN pass ahead of a wrong one that has yet to be counted', async () => {
    const answers: string[] = [];
    const wrong = guess(victim, WRONG).then((code) => answers.push(code));
    await sleep(AT_ONCE_MS);
    const right = guess(victim, RIGHT).then((code) => answers.push(code));
    await sleep(AT_ONCE_MS);
    expect(answers).to.deep.equal([]);
    await holder.query('COMMIT');
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
    const [row] = await harness.sql('SELECT failed_attempts FROM pins WHERE user_id = $1', victim);
    expect(row).to.deep.equal({ failed_attempts: 0 });
  });
});
