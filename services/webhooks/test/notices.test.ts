import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, beforeEach, describe, it } from 'node:test';
import { brokerOptions, implementCommand, startNode } from '@association-service/contracts/moleculer';
import { tell } from '../src/contracts.ts';
import { isServed, tellOwners } from '../src/notices/tell-owners.ts';
import { answerWith, startReceiver } from './support/receiver.ts';
import { startWorld, until, type World } from './support/service.ts';

const HOUR_MS = 60 * 60_000;

describe('owners of disabled endpoints', () => {
  let world: World;
  before(async () => {
    world = await startWorld();
  });
  after(() => world.stop());
  beforeEach(() => world.db.run('DELETE FROM owner_notices'));

  /** What the log was told. */
  const logged: object[] = [];
  /** The ids of the notices that reminders was asked to tell. */
  let asked: string[] = [];
  beforeEach(() => {
    logged.length = 0;
    asked = [];
  });

  async function addNotice(url_host: string, created_at = new Date()): Promise<string> {
    const id = randomUUID();
    await world.db.run(
      `INSERT INTO owner_notices (id, webhook_id, user_id, reason, url_host, created_at) VALUES ($1, $1, 'awa', 'gone', $2, $3)`,
      [id, url_host, created_at],
    );
    return id;
  }
  const untold = async () => {
    const rows = await world.db.rows<{ id: string }>('SELECT id FROM owner_notices WHERE told_at IS NULL');
    return rows.map(({ id }) => id);
  };

  interface Tell {
    notice_id: string;
    url_host: string;
  }
  const log = {
    info: () => undefined,
    warn: (text: string, fields = {}) => void logged.push({ text, ...fields }),
    error: () => undefined,
  };
  const run = (
    answer: (input: Tell) => Promise<object>,
    { canTell = true, now = new Date() }: { canTell?: boolean; now?: Date } = {},
  ) =>
    tellOwners({
      db: world.db,
      clock: () => now,
      log,
      reached: () => Promise.resolve(),
      canTell: () => canTell,
      broker: {
        call(action, params) {
          assert.equal(action, 'reminders.tell');
          const input = params as Tell;
          asked.push(input.notice_id);
          return answer(input);
        },
      },
    });
  const accept = () => Promise.resolve({});

  it('are told through reminders, each once', async () => {
    const receiver = await startReceiver(answerWith(410));
    try {
      const association_id = world.found();
      await world.create(association_id, receiver.url);
      await world.publish(association_id);
      await until(async () => (await untold()).length === 1);
      const [notice_id] = await untold();
      const inputs: object[] = [];
      const note = (input: object) => {
        inputs.push(input);
        return accept();
      };
      await run(note);
      await run(note);
      const notice = { notice_id, user_id: 'awa', association_id, kind: 'webhook_disabled', url_host: '127.0.0.1' };
      assert.deepEqual(inputs, [notice]);
    } finally {
      await receiver.stop();
    }
  });

  it('are told although an earlier notice is refused, which is tried again', async () => {
    const refused = await addNotice('refused.example.com', new Date(Date.now() - HOUR_MS));
    const other = await addNotice('books.example.com');
    const answer = ({ notice_id }: Tell) =>
      notice_id === refused ? Promise.reject(new Error('url_host is too long')) : accept();
    await assert.rejects(run(answer), ({ message, cause }: Error) => {
      assert.match(message, new RegExp(refused));
      assert.equal((cause as Error).message, 'url_host is too long');
      return true;
    });
    assert.deepEqual(asked.toSorted(), [refused, other].toSorted());
    assert.deepEqual(await untold(), [refused]);
    await run(accept);
    assert.deepEqual(await untold(), []);
  });

  it('wait without an error while no process of reminders runs', async () => {
    const id = await addNotice('books.example.com');
    await run(() => Promise.reject(new Error('there is no such service')), { canTell: false });
    assert.deepEqual([asked, logged, await untold()], [[], [], [id]]);
  });

  it('can be told once a process of reminders runs', async () => {
    const { broker } = world.running.node;
    assert.equal(isServed(broker), false);
    const settings = { nodeId: `reminders.${randomUUID()}`, production: false, logLevel: 'fatal' } as const;
    const reminders = await startNode({
      services: [() => ({ name: 'reminders', actions: { tell: implementCommand(tell, accept) } })],
      runtime: {},
      broker: brokerOptions(settings, world.servers.natsUrl),
    });
    await until(() => isServed(broker));
    await reminders.stop();
    await until(() => !isServed(broker));
  });

  it('are told after three days too if nothing has tried it before, as when webhooks did not run', async () => {
    const id = await addNotice('books.example.com', new Date(Date.now() - 100 * HOUR_MS));
    await run(accept);
    assert.deepEqual([asked, logged, await untold()], [[id], [], []]);
  });

  it('are no longer told after three days, and a line of the log says so', async () => {
    const id = await addNotice('books.example.com');
    const after_ms = (hours: number) => ({ canTell: false, now: new Date(Date.now() + hours * HOUR_MS) });
    await run(accept, after_ms(71));
    assert.deepEqual(await untold(), [id]);
    await run(accept, after_ms(73));
    assert.deepEqual(await untold(), []);
    assert.deepEqual(logged, [
      { text: 'the owner of a disabled endpoint was not told', notice_id: id, webhook_id: id },
    ]);
    await run(accept);
    assert.deepEqual(asked, []);
  });
});
