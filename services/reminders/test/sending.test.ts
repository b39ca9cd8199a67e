import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { startTestServers, type TestServers } from '@association-service/contracts/testing';
import type { Sender } from '../src/channels/channels.ts';
import { recoverMessages } from '../src/messages/recover-messages.ts';
import { LEASE_MS } from '../src/messages/sending.store.ts';
import type { Channel } from '../src/preferences/preferences.rules.ts';
import { countStatuses, senderWith, storeDue } from './harness/due-messages.ts';
import { choose, foundGroup, type GroupOfThree } from './harness/group.ts';
import { smsByJson, startMailServer, startSmsGateway, type MailServer, type SmsGateway } from './harness/outbox.ts';
import { runJobs } from './harness/run-jobs.ts';
import { until } from './harness/until.ts';
import { openWorld, type World } from './harness/world.ts';

describe('sending', () => {
  let servers: TestServers;
  let mail: MailServer;
  let sms: SmsGateway;
  let world: World;
  let group: GroupOfThree;

  before(async () => {
    [servers, mail, sms] = await Promise.all([startTestServers(), startMailServer(), startSmsGateway()]);
  });
  after(() => Promise.all([servers.stop(), mail.stop(), sms.stop()]));
  after(() => world.close());

  beforeEach(async () => {
    await world?.close();
    mail.rules = {};
    mail.mails.length = 0;
    mail.recipients.length = 0;
    sms.requests.length = 0;
    sms.answers.length = 0;
    const channels = {
      smtp: { url: mail.url, from: 'no-reply@tontine.example' },
      sms: smsByJson(sms.url),
    };
    world = await openWorld({ url: await servers.createDatabase(), channels });
    group = await foundGroup(world);
    await group.schedule(world, '2026-10-05', group.chidi);
  });

  const at = async (time: string) => {
    world.clock.now = new Date(time);
    await world.run();
  };
  const outcomes = async (channel: string) => {
    const rows = await world.db.rows<{ outcome: string }>(
      `SELECT concat_ws(' ', status, reason) AS outcome FROM messages
       WHERE channel = $1 AND type = 'due_soon' AND reason IS DISTINCT FROM 'no_address' ORDER BY 1`,
      [channel],
    );
    return rows.map(({ outcome }) => outcome);
  };

  it('is repeated after a temporary refusal, later each time', async () => {
    mail.rules = { refuse_content: 451 };
    await at('2026-10-01T23:00:00Z');
    assert.deepEqual(await outcomes('email'), ['waiting', 'waiting']);
    mail.rules = {};
    await at('2026-10-01T23:00:09Z');
    assert.equal(mail.mails.length, 0);
    await at('2026-10-01T23:00:10Z');
    assert.deepEqual(await outcomes('email'), ['sent', 'sent']);
    assert.equal(mail.mails.length, 2);
    assert.deepEqual(
      world.counted.filter((line) => line.startsWith('failed')),
      ['failed email', 'failed email'],
    );
  });

  it('ends with a final refusal', async () => {
    mail.rules = { refuse_recipient: 550 };
    await at('2026-10-01T23:00:00Z');
    mail.rules = {};
    await at('2026-10-02T12:00:00Z');
    assert.deepEqual(await outcomes('email'), ['failed refused', 'failed refused']);
    assert.equal(mail.mails.length, 0);
    assert.doesNotMatch(world.logged.join('\n'), /@example\.com|\+237/);
  });

  it('is not repeated if the server may have accepted the message', async () => {
    mail.rules = { closes: true };
    sms.answers.push('hang_up');
    await at('2026-10-01T23:00:00Z');
    mail.rules = {};
    await at('2026-10-02T12:00:00Z');
    assert.deepEqual(await outcomes('email'), ['unknown no_answer', 'unknown no_answer']);
    assert.deepEqual(await outcomes('sms'), ['unknown no_answer']);
    assert.deepEqual([mail.mails.length, sms.requests.length], [2, 1]);
  });

  it('gives a message up once it would be too late', async () => {
    mail.rules = { refuse_recipient: 451 };
    await at('2026-10-01T23:00:00Z');
    await at('2026-10-04T22:59:59Z');
    mail.rules = {};
    await at('2026-10-04T23:00:00Z');
    await at('2026-10-05T12:00:00Z');
    assert.deepEqual(await outcomes('email'), ['failed unreachable', 'failed unreachable']);
  });

  it('does not try all messages while a channel is away, and does not delay the other', async () => {
    sms.answers.push(503, 503, 503, 503);
    const more = [];
    for (let count = 0; count < 10; count += 1) {
      const another = await foundGroup(world);
      await another.schedule(world, '2026-10-05', another.chidi);
      more.push(another);
    }
    await at('2026-10-01T23:00:00Z');
    assert.ok(sms.requests.length < 5, `${String(sms.requests.length)} tries`);
    assert.equal(mail.mails.length, 22);
    sms.answers.length = 0;
    await at('2026-10-01T23:02:00Z');
    assert.deepEqual(new Set(await outcomes('sms')), new Set(['sent']));
    assert.equal(more.length, 10);
  });

  it('on one channel, and recovery, go on while the other channel is slow', async (test) => {
    const held = Promise.withResolvers<undefined>();
    const email = senderWith(() => held.promise);
    const phone = senderWith(() => Promise.resolve());
    const senders = new Map<Channel, Sender>([
      ['email', email],
      ['sms', phone],
    ]);
    const both = await openWorld({ url: await servers.createDatabase(), senders });
    await storeDue(both, 'email', 1);
    const stop = runJobs(both.jobs);
    test.after(async () => {
      held.resolve(undefined);
      await stop();
      await both.close();
    });
    await until(() => email.taken[0], 'the mail');
    await storeDue(both, 'sms', 1);
    await until(() => phone.taken[0], 'the SMS');
    // An attempt of a process that has ended after it handed the mail over.
    await storeDue({ ...both, clock: { now: new Date('2026-09-02T00:00:00Z') } }, 'email', 1);
    await both.db.run(
      `UPDATE messages SET status = 'sending', is_handed_over = true, held_until = '2000-01-01'
       WHERE channel = 'email' AND status = 'waiting'`,
    );
    const recovered = async () => (await countStatuses(both, 'email'))['unknown'];
    assert.equal(await until(recovered, 'the recovery'), 1);
  });

  it('holds a message for as long as its attempt takes', async (test) => {
    test.mock.timers.enable({ apis: ['setInterval'] });
    const answer = Promise.withResolvers<undefined>();
    const email = senderWith(() => answer.promise);
    const slow = await openWorld({ url: await servers.createDatabase(), senders: new Map([['email', email]]) });
    test.after(() => slow.close());
    await storeDue(slow, 'email', 1);
    const running = slow.run();
    await until(() => email.taken[0], 'the mail');
    await slow.endLeases();
    test.mock.timers.tick(LEASE_MS / 3);
    const isHeld = () => slow.db.first('SELECT FROM messages WHERE held_until > clock_timestamp()');
    await until(isHeld, 'the renewal');
    await recoverMessages(slow.parts);
    answer.resolve(undefined);
    await running;
    assert.deepEqual(await countStatuses(slow, 'email'), { sent: 1 });
  });

  it('tries a message again soon that could not be handled, and does not wait for the end of its lease', async (test) => {
    const email = senderWith(() => Promise.resolve());
    let isBroken = true;
    const reached = (step: string) =>
      isBroken && step === 'reminders.counted' ? Promise.reject(new Error('broken')) : Promise.resolve();
    const url = await servers.createDatabase();
    const broken = await openWorld({ url, senders: new Map([['email', email]]), reached });
    test.after(() => broken.close());
    await storeDue(broken, 'email', 1);
    await broken.run();
    assert.deepEqual(await countStatuses(broken, 'email'), { waiting: 1 });
    isBroken = false;
    await broken.run();
    assert.equal(email.taken.length, 0);
    broken.clock.now = new Date(broken.clock.now.getTime() + 10_000);
    await broken.run();
    assert.deepEqual(await countStatuses(broken, 'email'), { sent: 1 });
  });

  it('risks few messages while it is not known whether any is taken', async () => {
    sms.answers.push(...Array.from({ length: 100 }, () => 502));
    await storeDue(world, 'sms', 40);
    await at('2026-09-01T08:00:00Z');
    const first = sms.requests.length;
    assert.ok(first <= 4, `${String(first)} were risked`);
    assert.deepEqual(await countStatuses(world, 'sms'), { unknown: first, waiting: 40 - first });
    // Then one after 10 s, and the next after another minute.
    for (const [time, risked] of [
      ['08:00:09', 0],
      ['08:00:10', 1],
      ['08:01:09', 1],
      ['08:01:10', 2],
      ['08:06:09', 2],
    ] as const) {
      await at(`2026-09-01T${time}Z`);
      assert.equal(sms.requests.length, first + risked, time);
    }
    sms.answers.length = 0;
    await at('2026-09-01T08:06:10Z');
    assert.deepEqual(await countStatuses(world, 'sms'), { unknown: first + 2, sent: 40 - first - 2 });
    assert.equal(sms.requests.length, 40);
  });

  it('risks few messages while a mail server breaks off after it got them', async () => {
    mail.rules = { closes: true };
    await storeDue(world, 'email', 40);
    await at('2026-09-01T08:00:00Z');
    const { unknown = 0, waiting = 0 } = await countStatuses(world, 'email');
    assert.ok(unknown >= 1 && unknown <= 4, `${String(unknown)} were risked`);
    assert.equal(waiting, 40 - unknown);
    mail.rules = {};
    await at('2026-09-01T08:05:00Z');
    assert.deepEqual(await countStatuses(world, 'email'), { unknown, sent: waiting });
  });

  it('stops at what the person has changed meanwhile', async () => {
    const { amina, bola } = group;
    mail.rules = { refuse_recipient: 451 };
    sms.answers.push(503);
    await at('2026-10-01T23:00:00Z');
    mail.rules = {};
    await choose(world, amina, { types: ['pot_paid'] });
    await choose(world, bola, { channels: ['email'], language: 'en' });
    await at('2026-10-01T23:05:00Z');
    assert.deepEqual(await outcomes('email'), ['sent', 'skipped not_wanted']);
    assert.deepEqual(await outcomes('sms'), ['skipped not_wanted']);
    assert.match(mail.mails[0]?.subject ?? '', /due in 3 days/);
  });

  it('keeps what was sent, for the person', async () => {
    await at('2026-10-01T23:00:00Z');
    const [row] = await world.db.rows<{ subject: string; body: string; to_address: string | null }>(
      `SELECT subject, body, to_address FROM messages WHERE user_id = $1`,
      [group.amina.user_id],
    );
    assert.equal(row?.subject.replace(/\u00a0/g, ' '), 'FCFA 10,000 due in 3 days: Njangi of Bonamoussadi');
    assert.match(
      row.body,
      /^For the meeting of “Njangi of Bonamoussadi” on Monday, 5 October 2026 you still owe:\n\nFCFA/,
    );
    assert.equal(row.to_address, null);
  });
});
