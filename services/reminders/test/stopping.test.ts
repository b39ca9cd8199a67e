import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { startTestServers, type TestServers } from '@association-service/contracts/testing';
import { NAME } from '../src/contracts.ts';
import { prune } from '../src/upkeep.ts';
import { countStatuses, senderWith, storeDue } from './harness/due-messages.ts';
import { foundGroup } from './harness/group.ts';
import { startReminders } from './harness/started-service.ts';
import { until } from './harness/until.ts';
import { openWorld, type World, type WorldOptions } from './harness/world.ts';

/** A process that is asked to stop has some seconds until it is killed. */
describe('a service that is asked to stop', () => {
  let servers: TestServers;
  let worlds: World[] = [];

  before(async () => {
    servers = await startTestServers();
  });
  after(() => servers.stop());
  afterEach(async () => {
    await Promise.all(worlds.map((world) => world.close()));
    worlds = [];
  });

  const open = async (options: WorldOptions) => {
    const world = await openWorld(options);
    worlds.push(world);
    return world;
  };
  const job = (world: World, name: string) => {
    const found = world.jobs.find((each) => each.name === `reminders ${name}`);
    assert.ok(found !== undefined, name);
    return found;
  };

  it('ends what it has begun to send, and gives the rest back for the next process', async () => {
    const url = await servers.createDatabase();
    const stopping = new AbortController();
    const email = senderWith(async (taken) => {
      if (taken.length === 6) stopping.abort();
      await delay(20);
    });
    const world = await open({ url, senders: new Map([['email', email]]) });
    await storeDue(world, 'email', 50);
    await job(world, 'send email').run(stopping.signal);
    const sent = email.taken.length;
    assert.ok(sent < 12, `${String(sent)} were sent`);
    assert.deepEqual(await countStatuses(world, 'email'), { sent, waiting: 50 - sent });
    // Its leases would last for minutes.
    const next = await open({ url, senders: new Map([['email', email]]), clock: world.clock });
    await next.run();
    assert.deepEqual(await countStatuses(world, 'email'), { sent: 50 });
    assert.equal(new Set(email.taken).size, email.taken.length);
  });

  it('finds out no more recipients, and the next process finds out the rest', async () => {
    const url = await servers.createDatabase();
    const stopping = new AbortController();
    const reached = (step: string) => {
      if (step === 'reminders.page_stored') stopping.abort();
      return Promise.resolve();
    };
    const world = await open({ url, reached });
    const group = await foundGroup(world);
    const meeting_id = await group.schedule(world, '2026-10-05', group.chidi);
    const whole = group.page(world, meeting_id);
    const pages = whole.dues.map((owed, index) => ({
      ...whole,
      dues: [owed],
      next_member_id: index < whole.dues.length - 1 ? owed.member_id : null,
    }));
    world.outside.meetings.set(meeting_id, pages);
    await job(world, 'prepare').run(new AbortController().signal);
    world.clock.now = new Date('2026-10-01T23:00:00Z');
    await job(world, 'prepare').run(stopping.signal);
    const told = () => world.db.rows(`SELECT DISTINCT user_id FROM messages WHERE type = 'due_soon'`);
    assert.equal((await told()).length, 1);
    const next = await open({ url, outside: world.outside, clock: world.clock });
    await next.run();
    assert.equal((await told()).length, 3);
  });

  it('plans no more meetings', async () => {
    const stopping = new AbortController();
    const reached = (step: string) => {
      if (step === 'reminders.planned') stopping.abort();
      return Promise.resolve();
    };
    const world = await open({ url: await servers.createDatabase(), reached });
    const group = await foundGroup(world);
    for (const day of ['2026-10-05', '2026-11-05', '2026-12-05']) await group.schedule(world, day);
    const planned = () => world.db.rows('SELECT FROM meetings WHERE is_planned');
    await job(world, 'prepare').run(stopping.signal);
    assert.equal((await planned()).length, 1);
    await world.run();
    assert.equal((await planned()).length, 3);
  });

  it('deletes no more old messages', async () => {
    const world = await open({ url: await servers.createDatabase() });
    await storeDue(world, 'email', 3);
    await world.run();
    world.clock.now = new Date('2028-01-01T00:00:00Z');
    await prune(world.parts, AbortSignal.abort());
    assert.deepEqual(await countStatuses(world, 'email'), { skipped: 3 });
    await prune(world.parts, new AbortController().signal);
    assert.deepEqual(await countStatuses(world, 'email'), {});
  });
});

describe(`${NAME} that is stopped while it sends many messages`, () => {
  const stops: (() => Promise<void>)[] = [];
  after(async () => {
    for (const stop of stops.toReversed()) await stop();
  });

  it('leaves none of them unknown, and sends the rest after the next start', async () => {
    const service = await startReminders((stop) => stops.push(stop));
    const { mail, running, db, databaseUrl } = service;
    mail.rules.answers_after_ms = 100;
    const clock = { now: service.clock() };
    await storeDue({ db, clock }, 'email', 60);
    await until(() => (mail.mails.length > 2 ? true : undefined), 'the first mail');
    await running.node.stop();
    const { sent = 0, waiting = 0, ...others } = await countStatuses({ db }, 'email');
    assert.deepEqual(others, {});
    assert.deepEqual([sent > 0, waiting > 0], [true, true]);
    assert.equal(mail.mails.length, sent);

    mail.rules.answers_after_ms = 0;
    const channels = { smtp: { url: mail.url, from: 'no-reply@tontine.example' } } as const;
    const next = await openWorld({ url: databaseUrl, channels: { ...channels, sms: undefined }, clock });
    await next.run();
    await next.close();
    assert.deepEqual(await countStatuses({ db }, 'email'), { sent: 60 });
    assert.equal(new Set(mail.mails.map(({ messageId }) => messageId)).size, 60);
    assert.equal(mail.mails.length, 60);
  });
});
