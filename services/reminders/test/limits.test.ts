import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { startTestServers, type TestServers } from '@association-service/contracts/testing';
import { storeOccasion } from '../src/occasions/occasions.store.ts';
import { setAddress } from '../src/preferences/change-address.ts';
import { lockPerson } from '../src/preferences/preferences.store.ts';
import { prune } from '../src/upkeep.ts';
import { choose, foundGroup, type GroupOfThree, type Person } from './harness/group.ts';
import { smsByJson, startMailServer, startSmsGateway, type MailServer, type SmsGateway } from './harness/outbox.ts';
import { event, openWorld, type World, type WorldOptions } from './harness/world.ts';

const HOUR_MS = 3_600_000;

/** The limits, as the documentation has them. */
const OF_PERSON_MAX = 5;
const OF_PHONE_MAX = 50;

/** An SMS costs the operator money, and a user can change a PIN again and again. */
describe('what is always sent', () => {
  let servers: TestServers;
  let mail: MailServer;
  let sms: SmsGateway;
  let worlds: World[] = [];
  let world: World;
  let group: GroupOfThree;
  let url: string;

  before(async () => {
    [servers, mail, sms] = await Promise.all([startTestServers(), startMailServer(), startSmsGateway()]);
  });
  after(() => Promise.all([servers.stop(), mail.stop(), sms.stop()]));
  beforeEach(async () => {
    url = await servers.createDatabase();
    world = await open();
    group = await foundGroup(world);
    await choose(world, group.bola, { channels: ['sms'] });
    mail.mails.length = 0;
    sms.requests.length = 0;
    sms.answers.length = 0;
  });
  afterEach(async () => {
    await Promise.all(worlds.map((each) => each.close()));
    worlds = [];
  });

  const open = async (options: Partial<WorldOptions> = {}) => {
    const channels = {
      smtp: { url: mail.url, from: 'no-reply@tontine.example' },
      sms: smsByJson(sms.url),
    };
    const opened = await openWorld({ url, channels, ...options });
    worlds.push(opened);
    return opened;
  };
  const wait = (ms: number) => {
    world.clock.now = new Date(world.clock.now.getTime() + ms);
  };
  /** A change that happened some time ago. */
  const changePin = (reason: 'set' | 'changed' | 'reset', person: Person = group.bola, ago_ms = 0) =>
    world.handle(
      event(
        'pin.changed',
        undefined,
        { user_id: person.user_id, reason },
        new Date(world.clock.now.getTime() - ago_ms),
      ),
    );
  const changeRole = (to: string, of: GroupOfThree = group, member_id = of.bola.member_id) =>
    world.handle(
      event('member.role_changed', of.association_id, { member_id, from: 'member', to } as never, world.clock.now),
    );
  const texts = () => sms.requests.map(({ body }) => (JSON.parse(body) as { text: string }).text);
  const records = async (type: string) => {
    const rows = await world.db.rows<{ line: string; count: number }>(
      `SELECT concat_ws(' ', channel, status, reason) AS line, count(*)::integer AS count
       FROM messages WHERE type = $1 GROUP BY 1`,
      [type],
    );
    return Object.fromEntries(rows.map(({ line, count }) => [line, count]));
  };

  it('is one message while the one before waits, and tells the latest of what has happened', async () => {
    sms.answers.push(503);
    await changeRole('secretary');
    await world.run();
    wait(1_000);
    await changeRole('treasurer');
    wait(1);
    await changeRole('president');
    await world.run();
    assert.deepEqual(await records('role_changed'), { 'sms waiting': 1, 'sms skipped joined': 2 });
    assert.equal(world.counted.filter((line) => line === 'role_changed sms skipped joined').length, 2);
    sms.requests.length = 0;
    wait(HOUR_MS);
    await world.run();
    assert.deepEqual(texts(), ['Njangi of Bonamoussadi: your role is now president (before: member).']);
    assert.deepEqual(await records('role_changed'), { 'sms sent': 1, 'sms skipped joined': 2 });
  });

  it('tells the latest by the time at which it happened, in whichever order it is learned', async () => {
    sms.answers.push(503, 503);
    await changePin('changed');
    await world.run();
    await changePin('reset', group.bola, 1_000);
    await world.run();
    assert.deepEqual(await records('pin_changed'), { 'sms waiting': 1, 'sms skipped joined': 1 });
    sms.requests.length = 0;
    wait(HOUR_MS);
    await world.run();
    assert.deepEqual(texts(), ['The PIN of your account was changed. If this was not you, report it at once.']);
  });

  it('is one message also if several processes learn of many changes at once', async () => {
    const all = [world, await open({ clock: world.clock }), await open({ clock: world.clock })];
    for (let count = 0; count < 30; count += 1) await changePin('changed', group.bola, 30 - count);
    const { signal } = new AbortController();
    const prepare = async ({ jobs }: World) => jobs.find(({ name }) => name === 'reminders prepare')?.run(signal);
    await Promise.all(all.map(prepare));
    assert.deepEqual(await records('pin_changed'), { 'sms waiting': 1, 'sms skipped joined': 29 });
  });

  it('is one message for each association and person', async () => {
    const other = await foundGroup(world, 'Other group');
    await choose(world, other.bola, { channels: ['sms'] });
    sms.answers.push(...Array.from({ length: 8 }, () => 503));
    // The same person in another association.
    const member = { ...group.bola, member_id: randomUUID() };
    await world.handle(event('member.joined', other.association_id, member, world.clock.now));
    await changeRole('secretary');
    await changeRole('secretary', other, member.member_id);
    await changeRole('secretary', other);
    await world.run();
    await changeRole('treasurer', other, member.member_id);
    await world.run();
    assert.deepEqual(await records('role_changed'), { 'sms waiting': 3, 'sms skipped joined': 1 });
  });

  it('names each webhook that was disabled', async () => {
    const { bola, amina } = group;
    await choose(world, bola, { channels: ['sms'], language: 'en' });
    mail.rules = { refuse_content: 451 };
    sms.answers.push(503);
    const tellOf = async ({ user_id }: Person, url_host: string) => {
      await storeOccasion(world.db, {
        occasion_id: randomUUID(),
        key: `webhook_disabled:${randomUUID()}`,
        type: 'webhook_disabled',
        ...{ association_id: null, meeting_id: null, member_id: null, user_id },
        facts: { url_host },
        due_at: world.clock.now,
        expires_at: new Date(world.clock.now.getTime() + 24 * HOUR_MS),
      });
      await world.run();
      wait(1);
    };
    for (const host of ['a.example', 'b.example', 'c.example', 'b.example']) {
      await tellOf(bola, host);
      await tellOf(amina, host);
    }
    mail.rules = {};
    sms.requests.length = 0;
    wait(HOUR_MS);
    await world.run();
    assert.deepEqual(texts(), [
      'The webhooks to b.example and 2 others were disabled, as events could not be delivered.',
    ]);
    assert.equal(mail.mails.length, 1);
    assert.equal(mail.mails[0]?.subject, 'Webhooks disabled: b.example and 2 others');
    for (const host of ['a.example', 'b.example', 'c.example']) assert.match(mail.mails[0]?.text ?? '', RegExp(host));
  });

  it('is a few messages of a type an hour; then the last change is told, and nothing else', async () => {
    for (let count = 0; count < 119; count += 1) {
      await changePin('changed');
      await world.run();
      wait(40);
    }
    await changePin('reset');
    await world.run();
    assert.equal(sms.requests.length, OF_PERSON_MAX);
    assert.deepEqual(await records('pin_changed'), {
      'sms sent': OF_PERSON_MAX,
      'sms waiting': 1,
      'sms skipped joined': 120 - OF_PERSON_MAX - 1,
    });
    // Another type, and another person, have their own.
    await changeRole('secretary');
    await changePin('changed', group.amina);
    await world.run();
    assert.deepEqual([sms.requests.length, mail.mails.length], [OF_PERSON_MAX + 1, 1]);
    wait(HOUR_MS - 10_000);
    await world.run();
    assert.equal(sms.requests.length, OF_PERSON_MAX + 1);
    sms.requests.length = 0;
    wait(10_000);
    await world.run();
    assert.equal(texts().length, 1);
    assert.match(texts()[0] ?? '', /PIN of your account was deleted/);
    wait(24 * HOUR_MS);
    await world.run();
    assert.equal(sms.requests.length, 1);
  });

  it('keeps these limits if several processes send, and loses no last change', async () => {
    const others = await Promise.all([1, 2].map(() => open({ outside: world.outside, clock: world.clock })));
    const all = [world, ...others];
    const { bola } = group;
    // In many associations, so that they do not join.
    for (let count = 0; count < 12; count += 1) {
      const other = await foundGroup(world, `Group ${String(count)}`);
      const member = { ...group.bola, member_id: randomUUID() };
      await world.handle(event('member.joined', other.association_id, member, world.clock.now));
      await changeRole('secretary', other, member.member_id);
    }
    for (let count = 0; count < 40; count += 1) await changePin(count < 39 ? 'changed' : 'reset', bola, 39 - count);
    await Promise.all(all.map((each) => each.run()));
    await Promise.all(all.map((each) => each.run()));
    const about = (word: RegExp) => texts().filter((text) => word.test(text)).length;
    assert.equal(about(/Group/), OF_PERSON_MAX);
    assert.ok(about(/PIN/) <= OF_PERSON_MAX, `${String(about(/PIN/))} of the PIN`);
    for (let hour = 0; hour < 3; hour += 1) {
      const before = about(/Group/);
      wait(HOUR_MS);
      await Promise.all(all.map((each) => each.run()));
      assert.ok(about(/Group/) - before <= OF_PERSON_MAX);
    }
    assert.equal(about(/Group/), 12);
    assert.equal(new Set(texts().filter((text) => /Group/.test(text))).size, 12);
    assert.equal(about(/PIN of your account was deleted/), 1);
  });

  it('is told once, and the last change in the end, if all is done again', async () => {
    for (let count = 0; count < 8; count += 1) {
      await changePin(count < 7 ? 'changed' : 'reset');
      await world.run();
      wait(10);
    }
    const before = await records('pin_changed');
    await world.db.run(`UPDATE occasions SET status = 'waiting', held_until = NULL`);
    await world.run();
    assert.deepEqual(await records('pin_changed'), before);
    wait(HOUR_MS);
    await world.run();
    await world.db.run(`UPDATE occasions SET status = 'waiting', held_until = NULL`);
    await world.run();
    assert.equal(sms.requests.length, OF_PERSON_MAX + 1);
  });

  it('is not SMS without end to one number, whatever their types and users are', async () => {
    const people = Array.from({ length: OF_PHONE_MAX + 5 }, (_, index): Person => {
      return { ...group.bola, user_id: `user-${String(index)}`, member_id: randomUUID() };
    });
    for (const person of people) await choose(world, person, { channels: ['sms'] });
    for (const person of people.slice(0, 30)) await changePin('changed', person);
    const paid = people
      .slice(30)
      .map(({ user_id, member_id }) => [
        event('member.joined', group.association_id, { user_id, member_id }, world.clock.now),
        event(
          'distribution.paid',
          group.association_id,
          { distribution_id: randomUUID(), beneficiary_member_id: member_id, amount_minor: 1_000 },
          world.clock.now,
        ),
      ]);
    await world.handle(...paid.flat());
    await Promise.all([world, await open({ clock: world.clock })].map((each) => each.run()));
    assert.equal(sms.requests.length, OF_PHONE_MAX);
    const rows = await world.db.rows<{ line: string; subject: string | null }>(
      `SELECT concat_ws(' ', status, reason) AS line, subject FROM messages WHERE status <> 'sent'`,
    );
    assert.deepEqual(
      rows.map(({ line }) => line),
      Array.from({ length: 5 }, () => 'skipped too_many'),
    );
    assert.ok(rows.every(({ subject }) => subject !== null));
    const counted = worlds.flatMap((each) => each.counted.filter((line) => line.endsWith('sms skipped too_many')));
    assert.equal(counted.length, 5);
    // Mails and other numbers go on, and this one a day later.
    await changePin('changed', group.amina);
    await changePin('changed', { ...group.bola, user_id: group.chidi.user_id });
    await choose(world, { ...group.chidi, phone: '+237655555555' }, { channels: ['sms'] });
    await world.run();
    assert.deepEqual([mail.mails.length, sms.requests.length], [1, OF_PHONE_MAX + 1]);
    wait(24 * HOUR_MS);
    await changePin('changed');
    await world.run();
    assert.equal(sms.requests.length, OF_PHONE_MAX + 2);
  });

  it('still comes if strangers ask for codes to the number all day', async () => {
    const phone = group.bola.phone ?? '';
    const CODES_MAX = 20;
    for (let count = 0; count < CODES_MAX + 4; count += 1) {
      wait(HOUR_MS / 3);
      await world.db.transaction(async (tx) => {
        const user_id = `stranger-${String(count)}`;
        await lockPerson(tx, user_id);
        await setAddress(world.parts, tx, user_id, 'sms', phone, undefined);
      });
      await world.run();
    }
    assert.equal(sms.requests.length, CODES_MAX);
    assert.deepEqual(await records('confirm_address'), { 'sms sent': CODES_MAX, 'sms skipped too_many': 4 });
    await changePin('changed');
    await world.run();
    assert.equal(sms.requests.length, CODES_MAX + 1);
  });

  it('is counted without users and numbers, for a day', async () => {
    await changePin('changed');
    await world.run();
    const counts = () => world.db.rows<{ line: string }>('SELECT t::text AS line FROM message_counts AS t');
    const lines = (await counts()).map(({ line }) => line).join('\n');
    assert.notEqual(lines, '');
    assert.ok(!lines.includes(group.bola.user_id) && !lines.includes(group.bola.phone?.slice(1) ?? ''));
    wait(24 * HOUR_MS);
    await prune(world.parts, new AbortController().signal);
    assert.deepEqual(await counts(), []);
  });
});
