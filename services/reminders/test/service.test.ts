import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, beforeEach, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { exampleEvent, problemCode, problemExtras } from '@association-service/contracts';
import { call } from '@association-service/contracts/moleculer';
import type { RunningService } from '@association-service/contracts/service';
import type { SqlDatabase } from '@association-service/contracts/subscriber';
import { request } from '@association-service/contracts/testing';
import { changePreferences, confirmOwnAddress, getPreferences, listSent, NAME, tell } from '../src/contracts.ts';
import { prune } from '../src/upkeep.ts';
import type { MailServer } from './harness/outbox.ts';
import { startReminders, type StartedReminders } from './harness/started-service.ts';
import { until } from './harness/until.ts';

const HOUR_MS = 3_600_000;

describe(NAME, () => {
  const stops: (() => Promise<void>)[] = [];
  let service: StartedReminders;
  let mail: MailServer;
  let running: RunningService;
  let db: SqlDatabase;

  before(async () => {
    service = await startReminders((stop) => stops.push(stop));
    ({ mail, running, db } = service);
  });
  after(async () => {
    for (const stop of stops.toReversed()) await stop();
  });
  beforeEach(() => {
    // Codes of the test before no longer count.
    service.ahead_ms += 2 * HOUR_MS;
  });

  const user = () => ({ user_id: `user-${randomUUID()}` });
  type User = ReturnType<typeof user>;
  const address = () => `${randomUUID().slice(0, 8)}@example.com`;
  const read = async (of: User) => (await request(running, getPreferences, of)).body;
  const change = (of: User, body: object, more: { if_match?: string; idempotency_key?: string } = {}) =>
    request(running, changePreferences, of, { body, ...more });
  const confirm = (of: User, code: string, channel = 'email') =>
    request(running, confirmOwnAddress, of, { body: { channel, code } });
  const refused = (code: string) => (error: unknown) => problemCode(error) === code;
  const mailsTo = (to: string) => mail.mails.filter((_, index) => mail.recipients[index] === to);
  const codeFor = (to: string, count = 1) =>
    until(() => {
      const mails = mailsTo(to).filter(({ subject }) => subject === 'Your code');
      return mails.length < count ? undefined : /^\d{6}$/m.exec(mails.at(-1)?.text ?? '')?.[0];
    }, `the code for ${to}`);
  const confirmed = async (of: User, email = address()) => {
    const count = mailsTo(email).length + 1;
    await change(of, { email });
    await confirm(of, await codeFor(email, count));
    return email;
  };

  it('starts with settings with which nothing is sent', async () => {
    assert.deepEqual(await read(user()), {
      email: null,
      email_confirmed: false,
      email_in_use: null,
      phone: null,
      phone_confirmed: false,
      phone_in_use: null,
      language: 'en',
      channels: ['email', 'sms'],
      quiet_hours: null,
      types: [
        ...['due_soon', 'due_today', 'due_late', 'turn_tomorrow', 'pot_paid', 'distribution_paid', 'vote_waiting'],
        ...['role_changed', 'pin_changed', 'webhook_disabled'],
      ],
    });
  });

  it('changes what is given, and leaves the rest', async () => {
    const awa = user();
    const quiet_hours = { from: '21:00', to: '07:00' };
    await change(awa, { language: 'FR', quiet_hours, types: ['pot_paid', 'due_soon', 'pot_paid'] });
    const { body } = await change(awa, { channels: ['sms'] });
    assert.deepEqual([body.language, body.channels, body.types], ['fr', ['sms'], ['due_soon', 'pot_paid']]);
    assert.deepEqual(body.quiet_hours, { ...quiet_hours, time_zone: null });
    // What was read can be sent back.
    await change(awa, { quiet_hours: body.quiet_hours });
    assert.equal((await change(awa, { quiet_hours: null })).body.quiet_hours, null);
    assert.deepEqual(await read(awa), { ...body, quiet_hours: null });
  });

  it('refuses what is no address and no time of day', async () => {
    const bodies = [
      { email: 'awa' },
      { phone: '670000000' },
      { quiet_hours: { from: '7:00', to: '08:00' } },
      { quiet_hours: { from: '07:00', to: '07:00' } },
      { quiet_hours: { from: '07:00', to: '08:00', time_zone: 'Douala' } },
      { types: ['news'] },
      { language: 'de' },
      {},
    ];
    for (const body of bodies) {
      await assert.rejects(change(user(), body), (error) => {
        const { type } = error as { type?: string };
        return type === 'validation_failed' || type === 'VALIDATION_ERROR';
      });
    }
  });

  it('counts an address once it is confirmed by the code that was sent there', async () => {
    const awa = user();
    const email = address();
    const { body } = await change(awa, { email });
    assert.deepEqual([body.email, body.email_confirmed, body.email_in_use], [email, false, null]);
    const code = await codeFor(email);
    const answer = await confirm(awa, `${code.slice(0, 3)} ${code.slice(3)}`);
    assert.deepEqual([answer.body.email, answer.body.email_confirmed, answer.body.email_in_use], [email, true, email]);
    await assert.rejects(confirm(awa, code), refused('no_code_waiting'));
  });

  it('keeps no code, and no address of a message that is done', async () => {
    const awa = user();
    const email = address();
    await change(awa, { email });
    const code = await codeFor(email);
    await until(async () => ((await sentTo(awa)).length === 1 ? true : undefined), 'the record');
    for (const table of ['messages', 'addresses', 'code_requests', 'preferences', 'idempotency_keys', 'occasions']) {
      const rows = await db.rows<{ line: string }>(`SELECT t::text AS line FROM ${table} AS t WHERE t::text LIKE $1`, [
        `%${code}%`,
      ]);
      // Ids have random digits.
      assert.deepEqual(
        rows.map(({ line }) => line.replace(/[0-9a-f]{8}-[0-9a-f-]+/g, '')).filter((line) => line.includes(code)),
        [],
      );
    }
    const kept = await db.rows(`SELECT 1 FROM messages WHERE to_address IS NOT NULL AND user_id = $1`, [awa.user_id]);
    assert.deepEqual(kept, []);
    const [record] = await sentTo(awa);
    assert.deepEqual([record?.type, record?.status, record?.text], ['confirm_address', 'sent', null]);
  });

  it('ends a code after five wrong tries, also if they come at once, and counts none that are no codes', async () => {
    const awa = user();
    const email = address();
    await change(awa, { email });
    const code = await codeFor(email);
    for (const no_code of ['12345', '1234567', code.slice(1), 'code', '']) {
      await assert.rejects(confirm(awa, no_code), refused('validation_failed'), no_code);
    }
    const wrong = String((Number(code) + 1) % 1_000_000).padStart(6, '0');
    const tries = await Promise.allSettled(Array.from({ length: 12 }, () => confirm(awa, wrong)));
    const errors = tries.map((each) => (each.status === 'rejected' ? each.reason : undefined) as unknown);
    const left = errors.filter(refused('code_invalid')).map((error) => problemExtras(error)['attempts_left']);
    assert.deepEqual(left.toSorted(), [0, 1, 2, 3, 4]);
    assert.equal(errors.filter(refused('no_code_waiting')).length, 7);
    await assert.rejects(confirm(awa, code), refused('no_code_waiting'));
    assert.equal((await read(awa)).email_confirmed, false);
    // Set again, the address gets another code.
    await change(awa, { email });
    await confirm(awa, await codeFor(email, 2));
  });

  it('ends a code after 15 minutes', async () => {
    const awa = user();
    const email = address();
    await change(awa, { email });
    const code = await codeFor(email);
    service.ahead_ms += 15 * 60_000;
    await assert.rejects(confirm(awa, code), refused('no_code_waiting'));
  });

  it('sends few codes to one address, and for one user, also if they are asked for at once', async () => {
    const email = address();
    const users = Array.from({ length: 8 }, user);
    const asked = await Promise.allSettled(users.map((each) => change(each, { email })));
    const errors = asked.flatMap((each) => (each.status === 'rejected' ? [each.reason as unknown] : []));
    assert.equal(errors.length, 5);
    for (const error of errors) {
      assert.ok(refused('too_many_codes')(error));
      const wait_s = Number(problemExtras(error)['retry_after_s']);
      // One more second if the request has read the clock before those that were counted first.
      assert.ok(wait_s > 3_500 && wait_s <= 3_601, String(wait_s));
    }
    const awa = user();
    for (let count = 0; count < 5; count += 1) await change(awa, { email: address() });
    await assert.rejects(change(awa, { email: address(), language: 'fr' }), refused('too_many_codes'));
    assert.equal((await read(awa)).language, 'en');
    service.ahead_ms += HOUR_MS;
    await change(awa, { email: address() });
  });

  it('sends few codes to one mailbox, however its address is written, and keeps the address as it was written', async () => {
    const name = randomUUID().slice(0, 8);
    const written = [`${name}@example.com`, `${name.toUpperCase()}-X@example.com`, `${name}-x+1@example.com`];
    for (const email of [...written, `${name}-X+2@example.com`])
      assert.equal((await change(user(), { email })).body.email, email);
    for (const email of [`${name}-x@example.com`, `${name}-X+3@Example.com`])
      await assert.rejects(change(user(), { email }), refused('too_many_codes'), email);
  });

  it('uses the old address until the new one is confirmed, and then tells it', async () => {
    const awa = user();
    const old = await confirmed(awa);
    const email = address();
    const { body } = await change(awa, { email });
    assert.deepEqual([body.email, body.email_confirmed, body.email_in_use], [email, false, old]);
    await confirm(awa, await codeFor(email));
    assert.equal((await read(awa)).email_in_use, email);
    const notice = await until(
      () => mailsTo(old).find(({ subject }) => /no longer come here/.test(subject ?? '')),
      'the notice',
    );
    assert.match(notice.text ?? '', /now go to another e-mail address/);
    assert.doesNotMatch(notice.text ?? '', new RegExp(email));
    // Back to the address that is in use: it needs no code.
    const count = mail.mails.length;
    await change(awa, { email: address() });
    assert.deepEqual((await change(awa, { email })).body.email_confirmed, true);
    assert.ok(mail.mails.length <= count + 1);
  });

  it('removes an address at once, and tells it a last time', async () => {
    const awa = user();
    const email = await confirmed(awa);
    const { body } = await change(awa, { email: null });
    assert.deepEqual([body.email, body.email_confirmed, body.email_in_use], [null, false, null]);
    assert.deepEqual(await db.rows('SELECT 1 FROM addresses WHERE user_id = $1', [awa.user_id]), []);
    const notice = await until(
      () => mailsTo(email).find(({ subject }) => /no longer come here/.test(subject ?? '')),
      'the notice',
    );
    assert.match(notice.text ?? '', /was removed/);
    await change(awa, { email: null });
  });

  it('changes nothing if the settings are no longer as they were read', async () => {
    const awa = user();
    await assert.rejects(change(awa, { language: 'fr' }, { if_match: '"other"' }), refused('precondition_failed'));
    assert.equal((await read(awa)).language, 'en');
    await change(awa, { language: 'fr' }, { if_match: '*' });
  });

  it('sends one code for requests with the same key', async () => {
    const awa = user();
    const email = address();
    const idempotency_key = randomUUID();
    const [first] = [await change(awa, { email }, { idempotency_key })];
    const again = await change(awa, { email }, { idempotency_key });
    assert.deepEqual(again.body, first.body);
    assert.equal(again.headers['Idempotency-Replayed'], 'true');
    await codeFor(email);
    assert.deepEqual(
      await db.rows('SELECT 1 FROM code_requests WHERE user_id = $1', [awa.user_id]).then((rows) => rows.length),
      1,
    );
  });

  it('sends one code and confirms once, if the process ends before the answer', async () => {
    const awa = user();
    const email = address();
    const idempotency_key = randomUUID();
    service.fail_at = 'reminders.preferences_stored';
    await assert.rejects(change(awa, { email }, { idempotency_key }), refused('internal_error'));
    assert.equal((await read(awa)).email, null);
    await change(awa, { email }, { idempotency_key });
    const code = await codeFor(email);
    service.fail_at = 'reminders.address_confirmed';
    await assert.rejects(confirm(awa, code), refused('internal_error'));
    assert.equal((await read(awa)).email_confirmed, false);
    assert.equal((await confirm(awa, code)).body.email_confirmed, true);
    assert.equal(mailsTo(email).length, 1);
  });

  it('deletes what is older than a year', async () => {
    const awa = user();
    await confirmed(awa);
    await until(async () => ((await sentTo(awa)).length === 1 ? true : undefined), 'the record');
    const year_ms = 365 * 24 * HOUR_MS;
    const { signal } = new AbortController();
    await prune({ db, clock: () => new Date(service.clock().getTime() + year_ms - HOUR_MS) }, signal);
    assert.equal((await sentTo(awa)).length, 1);
    await prune({ db, clock: () => new Date(service.clock().getTime() + year_ms + HOUR_MS) }, signal);
    assert.deepEqual(await sentTo(awa), []);
    assert.equal((await read(awa)).email_confirmed, true);
  });

  async function sentTo(of: User, query: object = {}) {
    return (await request(running, listSent, of, { query })).body.data;
  }

  it('tells a user what another service asks for, once for each notice', async () => {
    const awa = user();
    const email = await confirmed(awa);
    await change(awa, { types: [], channels: [] });
    const notice_id = randomUUID();
    const notice = {
      notice_id,
      ...awa,
      association_id: null,
      kind: 'webhook_disabled',
      url_host: 'hooks.example.com',
    } as const;
    await Promise.all([1, 2, 3].map(() => call(running.node.broker, tell, notice)));
    const found = await until(() => mailsTo(email).find(({ subject }) => /Webhook/.test(subject ?? '')), 'the notice');
    assert.equal(found.subject, 'Webhook disabled: hooks.example.com');
    await call(running.node.broker, tell, notice);
    await delay(1_500);
    assert.equal(mailsTo(email).filter(({ subject }) => /Webhook/.test(subject ?? '')).length, 1);
  });

  it('lists what was sent, newest first and page by page, to its person only', async () => {
    const awa = user();
    await confirmed(awa);
    for (let count = 0; count < 5; count += 1) {
      service.ahead_ms += 1_000;
      const notice = { notice_id: randomUUID(), ...awa, association_id: null, kind: 'webhook_disabled' } as const;
      await call(running.node.broker, tell, { ...notice, url_host: `h${String(count)}.example` });
      // Otherwise the next one joins it.
      await until(async () => ((await sentTo(awa)).length === count + 2 ? true : undefined), 'the message');
    }
    const all = await sentTo(awa);
    assert.deepEqual(
      all
        .map(({ created_at }) => created_at)
        .toSorted()
        .toReversed(),
      all.map(({ created_at }) => created_at),
    );
    const paged: unknown[] = [];
    const page = async (query: object) => {
      const { body } = await request(running, listSent, awa, { query: { limit: '2', ...query } });
      paged.push(...body.data);
      return body.next_cursor;
    };
    for (let cursor = await page({}); cursor !== null; cursor = await page({ cursor })) {
      await assert.rejects(request(running, listSent, user(), { query: { cursor } }), refused('validation_failed'));
    }
    assert.deepEqual(paged, all);
    assert.deepEqual(await sentTo(user()), []);
  });

  it('follows events, and asks the other services', async () => {
    const awa = user();
    const email = await confirmed(awa);
    const association_id = randomUUID();
    const member_id = randomUUID();
    const meeting_id = randomUUID();
    const terms = { name: 'Njangi', currency: 'XAF', time_zone: 'Africa/Douala' };
    service.associations.set(association_id, { members: [{ ...awa, member_id }], terms });
    const due_on = new Date(service.clock().getTime() + 26 * HOUR_MS).toISOString().slice(0, 10);
    service.meetings.set(meeting_id, { member_id, due_on });
    const time = service.clock().toISOString();
    const about = { subject: association_id, time };
    const scheduled = exampleEvent('meeting.scheduled', { ...about, id: randomUUID(), data: { meeting_id, due_on } });
    await service.servers.publish(scheduled, scheduled);
    const found = await until(() => mailsTo(email).find(({ subject }) => /due/.test(subject ?? '')), 'the reminder');
    assert.match(found.subject ?? '', /^FCFA\u00a010,000 due (tomorrow|in 2 days): Njangi$/);
    const [record] = await until(async () => {
      const data = await sentTo(awa);
      return data.some(({ type }) => type === 'due_soon') ? data : undefined;
    }, 'the record');
    assert.deepEqual(record?.occasion, {
      meeting_id,
      due_on,
      amount: 10_000,
      currency: 'XAF',
      distribution_id: null,
      approval_id: null,
    });
  });

  it('reports its health and its metrics', async () => {
    const health = await fetch(new URL('/health', running.metricsUrl));
    assert.deepEqual(await health.json(), { status: 'ready', services: { [NAME]: 'up' } });
    // An occasion that a process has held since then.
    const due_at = new Date(service.clock().getTime() - HOUR_MS);
    await db.run(
      `INSERT INTO occasions (occasion_id, key, type, facts, due_at, next_try_at, expires_at, status, held_until)
       VALUES ($1, 'held', 'due_soon', '{}', $2, $2, '2100-01-01', 'waiting', '2100-01-01')`,
      [randomUUID(), due_at],
    );
    const metrics = await until(async () => {
      const text = await (await fetch(running.metricsUrl)).text();
      const age_s = Number(/^reminders_oldest_due_seconds (\S+)$/m.exec(text)?.[1]);
      return age_s >= HOUR_MS / 1_000 ? text : undefined;
    }, 'the age of the occasion');
    assert.match(
      metrics,
      /reminders_messages_total\{type="confirm_address",channel="email",outcome="sent",reason=""\} \d+/,
    );
  });
});
