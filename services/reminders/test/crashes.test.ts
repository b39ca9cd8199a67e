import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { startTestServers, type TestServers } from '@association-service/contracts/testing';
import { foundGroup } from './harness/group.ts';
import { smsByJson, startMailServer, startSmsGateway, type MailServer, type SmsGateway } from './harness/outbox.ts';
import { event, openWorld, type World, type WorldOptions } from './harness/world.ts';

/** The steps of the jobs, in their order. */
const STEPS = [
  'reminders.planning',
  'reminders.planned',
  'reminders.page_read',
  'reminders.page_stored',
  'reminders.claimed',
  'reminders.counted',
  'reminders.handing_over',
  'reminders.handed_over',
  'reminders.answered',
  'reminders.concluded',
];

/** After these steps, the mail server or the gateway may have the message. */
const IN_DOUBT = new Set(['reminders.handed_over', 'reminders.answered']);

/** Stops a process at a step until it is woken, as if it were killed or frozen. */
function stopAt(step: string) {
  let wake = (): void => undefined;
  let arrive = (): void => undefined;
  const woken = new Promise<void>((resolve) => (wake = resolve));
  const arrived = new Promise<void>((resolve) => (arrive = resolve));
  let isOver = false;
  const reached = async (name: string) => {
    if (name !== step || isOver) return;
    arrive();
    await woken;
  };
  return {
    reached,
    arrived,
    wake: () => {
      isOver = true;
      wake();
    },
  };
}

describe('a process that stops', () => {
  let servers: TestServers;
  let mail: MailServer;
  let sms: SmsGateway;
  const worlds: World[] = [];

  before(async () => {
    [servers, mail, sms] = await Promise.all([startTestServers(), startMailServer(), startSmsGateway()]);
  });
  after(async () => {
    await Promise.all(worlds.map((world) => world.close()));
    await Promise.all([servers.stop(), mail.stop(), sms.stop()]);
  });
  beforeEach(() => {
    Object.assign(mail.rules, { refuse_recipient: undefined, refuse_content: undefined, closes: false });
    mail.mails.length = 0;
    mail.recipients.length = 0;
    sms.requests.length = 0;
    sms.answers.length = 0;
  });

  const open = async (options: Partial<WorldOptions> & { url: string }) => {
    const channels = {
      smtp: { url: mail.url, from: 'no-reply@tontine.example' },
      sms: smsByJson(sms.url),
    };
    const world = await openWorld({ channels, ...options });
    worlds.push(world);
    return world;
  };

  const receivers = () => {
    const numbers = sms.requests.map(({ body }) => (JSON.parse(body) as { to: string }).to);
    return [...mail.recipients, ...numbers].toSorted();
  };

  /** Stops a process at a step, with a due to tell; another one goes on once the leases of the first have ended. */
  async function continueAfter(step: string) {
    const stop = stopAt(step);
    const url = await servers.createDatabase();
    const first = await open({ url, reached: stop.reached });
    const group = await foundGroup(first);
    await group.schedule(first, '2026-10-05', group.chidi);
    first.clock.now = new Date('2026-10-01T23:00:00Z');
    const running = first.run();
    await stop.arrived;
    const second = await open({ url, outside: first.outside, clock: first.clock });
    await second.endLeases();
    await second.run();
    return { group, second, stop, running };
  }

  for (const step of STEPS) {
    it(`at ${step} makes nothing be sent twice, and nothing be lost`, async () => {
      const { group, second, stop, running } = await continueAfter(step);
      await second.run();
      stop.wake();
      await running;
      await second.run();

      const rows = await second.db.rows<{ user_id: string; channel: string; status: string }>(
        `SELECT user_id, channel, status FROM messages WHERE type = 'due_soon' AND reason IS DISTINCT FROM 'no_address'`,
      );
      const { amina, bola } = group;
      const addresses = [amina.email, bola.email, bola.phone].toSorted();
      assert.equal(rows.length, 3);
      assert.deepEqual(new Set(receivers()).size, receivers().length, 'a person got it twice');
      for (const { user_id, channel, status } of rows) {
        const person = user_id === amina.user_id ? amina : bola;
        const address = channel === 'email' ? person.email : person.phone;
        const wasReceived = receivers().includes(address ?? '');
        if (IN_DOUBT.has(step)) assert.ok(status === 'sent' ? wasReceived : status === 'unknown', status);
        else assert.deepEqual([status, wasReceived], ['sent', true]);
      }
      if (!IN_DOUBT.has(step)) assert.deepEqual(receivers(), addresses);
    });
  }

  for (const step of STEPS.slice(STEPS.indexOf('reminders.page_read'))) {
    it(`at ${step} tells no change of a PIN twice, and the last one in the end`, async () => {
      const stop = stopAt(step);
      const url = await servers.createDatabase();
      const first = await open({ url, reached: stop.reached });
      const { bola } = await foundGroup(first);
      const changePin = (reason: 'changed' | 'reset') =>
        first.handle(event('pin.changed', undefined, { user_id: bola.user_id, reason }, first.clock.now));
      await changePin('changed');
      const running = first.run();
      await stop.arrived;
      first.clock.now = new Date(first.clock.now.getTime() + 1_000);
      await changePin('reset');
      const second = await open({ url, outside: first.outside, clock: first.clock });
      await second.endLeases();
      await second.run();
      stop.wake();
      await running;
      await second.run();
      const told = {
        email: mail.mails.map(({ text }) => text ?? ''),
        sms: sms.requests.map(({ body }) => (JSON.parse(body) as { text: string }).text),
      };
      for (const [channel, texts] of Object.entries(told)) {
        const resets = texts.filter((text) => /effacé/.test(text)).length;
        assert.equal(resets, 1, channel);
        assert.ok(texts.length <= 2, `${channel}: ${String(texts.length)}`);
      }
      const left = await second.db.rows(`SELECT 1 FROM messages WHERE status IN ('waiting', 'sending')`);
      assert.deepEqual(left, []);
    });
  }

  it('before it stores messages tells nothing of a meeting that is cancelled meanwhile', async () => {
    const stop = stopAt('reminders.page_read');
    const world = await open({ url: await servers.createDatabase(), reached: stop.reached });
    const group = await foundGroup(world);
    const meeting_id = await group.schedule(world, '2026-10-05', group.chidi);
    world.clock.now = new Date('2026-10-01T23:00:00Z');
    const running = world.run();
    await stop.arrived;
    await world.handle(event('meeting.cancelled', group.association_id, { meeting_id }, world.clock.now));
    stop.wake();
    await running;
    await world.run();
    assert.deepEqual(receivers(), []);
    assert.deepEqual(await world.db.rows('SELECT 1 FROM messages'), []);
  });

  it('after it handed a message over leaves it unknown, counted and logged', async () => {
    const { second, stop, running } = await continueAfter('reminders.handed_over');
    assert.ok(second.counted.some((line) => line.endsWith('unknown no_answer')));
    assert.ok(second.logged.some((line) => line.includes('it is unknown whether a message was sent')));
    assert.doesNotMatch(second.logged.join('\n'), /@example\.com|\+237/);
    stop.wake();
    await running;
  });
});

describe('several processes', () => {
  it('share what is due, and send it once', async () => {
    const [servers, mail] = await Promise.all([startTestServers(), startMailServer()]);
    const url = await servers.createDatabase();
    const channels = { smtp: { url: mail.url, from: 'no-reply@tontine.example' } } as const;
    const first = await openWorld({ url, channels: { ...channels, sms: undefined } });
    const others = await Promise.all(
      [1, 2].map(() =>
        openWorld({ url, channels: { ...channels, sms: undefined }, outside: first.outside, clock: first.clock }),
      ),
    );
    const groups = [];
    for (let count = 0; count < 15; count += 1) {
      const group = await foundGroup(first);
      await group.schedule(first, '2026-10-05', group.chidi);
      groups.push(group);
    }
    first.clock.now = new Date('2026-10-01T23:00:00Z');
    await Promise.all([first, ...others].map((world) => world.run()));
    await Promise.all([first, ...others].map((world) => world.run()));
    const expected = groups.flatMap(({ amina, bola }) => [amina.email, bola.email]).toSorted();
    assert.deepEqual(mail.recipients.toSorted(), expected);
    await Promise.all([first, ...others].map((world) => world.close()));
    await Promise.all([servers.stop(), mail.stop()]);
  });
});
