import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, beforeEach, describe, it } from 'node:test';
import { startTestServers, type TestServers } from '@association-service/contracts/testing';
import { choose, foundGroup, type GroupOfThree, type Person } from './harness/group.ts';
import { smsByJson, startMailServer, startSmsGateway, type MailServer, type SmsGateway } from './harness/outbox.ts';
import { event, openWorld, type World } from './harness/world.ts';

/** Everything that happens in a group over some weeks, with the exact messages to each person. */
describe('what people are told', () => {
  let servers: TestServers;
  let mail: MailServer;
  let sms: SmsGateway;
  let world: World;
  let group: GroupOfThree;

  before(async () => {
    [servers, mail, sms] = await Promise.all([startTestServers(), startMailServer(), startSmsGateway()]);
  });
  after(() => Promise.all([servers.stop(), mail.stop(), sms.stop()]));

  beforeEach(async () => {
    await world?.close();
    const channels = {
      smtp: { url: mail.url, from: 'Tontine <no-reply@tontine.example>' },
      sms: smsByJson(sms.url),
    };
    world = await openWorld({ url: await servers.createDatabase(), channels });
    group = await foundGroup(world);
    mail.mails.length = 0;
    mail.recipients.length = 0;
    sms.requests.length = 0;
  });
  after(() => world.close());

  const plain = (text: string | undefined) => (text ?? '').replace(/[\u00a0\u202f]/g, ' ');

  /** Returns the subjects of the mails to a person since the last call, and empties the box. */
  function received({ email, phone }: Person): string[] {
    const mails = mail.recipients.flatMap((to, index) => (to === email ? [plain(mail.mails[index]?.subject)] : []));
    const bodies = sms.requests.map(({ body }) => JSON.parse(body) as { to: string; text: string });
    return [...mails, ...bodies.flatMap(({ to, text }) => (to === phone ? [`SMS ${text}`] : []))].toSorted();
  }
  function allReceived() {
    const { amina, bola } = group;
    const all = { amina: received(amina), bola: received(bola) };
    mail.mails.length = 0;
    mail.recipients.length = 0;
    sms.requests.length = 0;
    return all;
  }

  /** Moves the clock, runs the jobs twice as two processes would, and returns what everyone got. */
  async function at(time: string) {
    world.clock.now = new Date(time);
    await world.run();
    await world.run();
    return allReceived();
  }

  const statuses = async () => {
    const rows = await world.db.rows<{ line: string }>(
      `SELECT concat_ws(' ', type, channel, status, reason) AS line FROM messages ORDER BY 1`,
    );
    return rows.map(({ line }) => line);
  };

  it('follows a meeting from three days before it to the payout', async () => {
    const { association_id, amina, bola, chidi } = group;
    const meeting_id = await group.schedule(world, '2026-10-05', amina);
    assert.deepEqual(await at('2026-10-01T22:59:59Z'), { amina: [], bola: [] });
    assert.deepEqual(await at('2026-10-01T23:00:00Z'), {
      amina: ['FCFA 10,000 due in 3 days: Njangi of Bonamoussadi'],
      bola: [
        '10 000 FCFA à payer dans 3 jours : Njangi of Bonamoussadi',
        'SMS Njangi of Bonamoussadi : 10 000 FCFA à payer pour le 5 oct. 2026.',
      ],
    });
    group.pay(world, meeting_id, bola);
    assert.deepEqual(await at('2026-10-03T23:00:00Z'), {
      amina: ['Your turn tomorrow: Njangi of Bonamoussadi'],
      bola: [],
    });
    assert.deepEqual(await at('2026-10-04T23:00:00Z'), {
      amina: ['FCFA 10,000 due today: Njangi of Bonamoussadi'],
      bola: [],
    });
    group.pay(world, meeting_id, amina);
    // Chidi owes the rest, and has no address.
    assert.deepEqual(await at('2026-10-05T23:00:00Z'), { amina: [], bola: [] });
    const page = group.page(world, meeting_id);
    Object.assign(page, {
      status: 'settled',
      payouts: [
        { member_id: amina.member_id, amount_minor: 15_000, method: 'wallet' },
        { member_id: amina.member_id, amount_minor: 5_000, method: 'cash' },
      ],
    });
    await world.handle(
      event('meeting.settled', association_id, { meeting_id, settlement_id: randomUUID() }, world.clock.now),
    );
    assert.deepEqual(await at('2026-10-06T10:00:00Z'), {
      amina: ['FCFA 20,000 paid to you: Njangi of Bonamoussadi'],
      bola: [],
    });
    const ofChidi = await world.db.rows(
      `SELECT type, status, reason, subject FROM messages WHERE user_id = $1 ORDER BY created_at`,
      [chidi.user_id],
    );
    assert.deepEqual(
      ofChidi.map((row) => Object.values(row).map(plain).join(' ')),
      [
        'due_soon skipped no_address FCFA 10,000 due in 3 days: Njangi of Bonamoussadi',
        'due_today skipped no_address FCFA 10,000 due today: Njangi of Bonamoussadi',
        'due_late skipped no_address FCFA 10,000 overdue: Njangi of Bonamoussadi',
      ],
    );
  });

  it('tells nothing twice, even if every event is delivered again and every job runs again', async () => {
    await group.schedule(world, '2026-10-05');
    await at('2026-10-01T23:00:00Z');
    await world.db.run(`UPDATE meetings SET is_planned = false`);
    await world.db.run(`UPDATE occasions SET status = 'waiting', after_member_id = NULL, held_until = NULL`);
    const counted = [...world.counted];
    assert.ok(counted.includes('due_soon email skipped no_address'));
    assert.deepEqual(await at('2026-10-01T23:00:00Z'), { amina: [], bola: [] });
    assert.deepEqual(world.counted, counted);
  });

  it('tells late what a meeting owes as arrears after its settlement', async () => {
    const { association_id, amina } = group;
    const meeting_id = await group.schedule(world, '2026-10-05');
    const page = group.page(world, meeting_id);
    page.status = 'settled';
    page.dues = [{ member_id: amina.member_id, outstanding_minor: 0, arrears_minor: 4_000 }];
    await world.handle(event('meeting.settled', association_id, { meeting_id }, new Date('2026-10-05T18:00:00Z')));
    assert.deepEqual((await at('2026-10-05T23:00:00Z')).amina, ['FCFA 4,000 overdue: Njangi of Bonamoussadi']);
  });

  it('drops what is past when a meeting is scheduled late', async () => {
    world.clock.now = new Date('2026-10-04T12:00:00Z');
    await group.schedule(world, '2026-10-05');
    const late = await at('2026-10-04T12:00:00Z');
    assert.deepEqual(late.amina, [
      'FCFA 10,000 due tomorrow: Njangi of Bonamoussadi',
      'Your turn tomorrow: Njangi of Bonamoussadi',
    ]);
    world.clock.now = new Date('2026-10-05T12:00:00Z');
    await group.schedule(world, '2026-10-01');
    assert.deepEqual((await at('2026-10-05T12:00:00Z')).amina, ['FCFA 10,000 due today: Njangi of Bonamoussadi']);
  });

  it('follows a meeting that is moved, and moved back', async () => {
    const { association_id } = group;
    const meeting_id = await group.schedule(world, '2026-10-05');
    const move = async (due_on: string) => {
      group.page(world, meeting_id).due_on = due_on;
      await world.handle(event('meeting.rescheduled', association_id, { meeting_id, due_on }, world.clock.now));
    };
    assert.equal((await at('2026-10-01T23:00:00Z')).amina.length, 1);
    await move('2026-10-12');
    assert.deepEqual(await at('2026-10-05T12:00:00Z'), { amina: [], bola: [] });
    assert.deepEqual((await at('2026-10-08T23:00:00Z')).amina, ['FCFA 10,000 due in 3 days: Njangi of Bonamoussadi']);
    // Back to a day for which three of four occasions were not told.
    world.clock.now = new Date('2026-10-04T12:00:00Z');
    await move('2026-10-05');
    assert.deepEqual((await at('2026-10-04T12:00:00Z')).amina, ['Your turn tomorrow: Njangi of Bonamoussadi']);
    assert.deepEqual((await at('2026-10-05T12:00:00Z')).amina, ['FCFA 10,000 due today: Njangi of Bonamoussadi']);
  });

  it('tells nothing of a cancelled meeting, nor to who has left', async () => {
    const { association_id, bola } = group;
    const cancelled = await group.schedule(world, '2026-10-05');
    await world.handle(event('meeting.cancelled', association_id, { meeting_id: cancelled }, world.clock.now));
    await group.schedule(world, '2026-10-06');
    await world.handle(event('member.left', association_id, { ...bola }, world.clock.now));
    const told = await at('2026-10-02T23:00:00Z');
    assert.deepEqual(told, { amina: ['FCFA 10,000 due in 3 days: Njangi of Bonamoussadi'], bola: [] });
  });

  it('waits for the end of quiet hours, and then checks again what is owed', async () => {
    const { amina, bola } = group;
    await choose(world, amina, { quiet_hours: { from: '21:00', to: '07:00', time_zone: null } });
    await choose(world, bola, { quiet_hours: { from: '21:00', to: '08:30', time_zone: 'Europe/Paris' } });
    const meeting_id = await group.schedule(world, '2026-10-05', bola);
    assert.deepEqual(await at('2026-10-01T23:00:00Z'), { amina: [], bola: [] });
    assert.deepEqual(await at('2026-10-02T05:59:59Z'), { amina: [], bola: [] });
    // A part is paid at night, and Bola pays all before their mail is due.
    const [due] = group.page(world, meeting_id).dues;
    if (due !== undefined) due.outstanding_minor = 2_500;
    assert.deepEqual(await at('2026-10-02T06:00:00Z'), {
      amina: ['FCFA 2,500 due in 3 days: Njangi of Bonamoussadi'],
      bola: [],
    });
    group.pay(world, meeting_id, bola);
    assert.deepEqual(await at('2026-10-02T06:30:00Z'), { amina: [], bola: [] });
    assert.deepEqual(
      (await statuses()).filter((line) => line.startsWith('due_soon')),
      [
        'due_soon email sent',
        'due_soon email skipped no_address',
        'due_soon email skipped no_longer_due',
        'due_soon sms skipped no_longer_due',
      ],
    );
  });

  it('sends nothing that waited to who has left meanwhile', async () => {
    const { association_id, amina } = group;
    await choose(world, amina, { quiet_hours: { from: '21:00', to: '07:00', time_zone: null } });
    await group.schedule(world, '2026-10-05');
    await at('2026-10-01T23:00:00Z');
    await world.handle(event('member.expelled', association_id, { ...amina }, world.clock.now));
    assert.deepEqual((await at('2026-10-02T06:00:00Z')).amina, []);
    assert.ok((await statuses()).includes('due_soon email skipped member_left'));
  });

  it('sends what protects a person also in quiet hours, and whatever they have chosen', async () => {
    const { association_id, amina, bola } = group;
    const quiet_hours = { from: '00:00', to: '23:59', time_zone: null };
    await choose(world, amina, { quiet_hours, types: [], channels: [] });
    await choose(world, bola, { quiet_hours, types: [], channels: ['sms'], language: 'fr' });
    await group.schedule(world, '2026-10-05');
    world.clock.now = new Date('2026-10-02T10:00:00Z');
    const pin = { user_id: amina.user_id, reason: 'changed' };
    await world.handle(
      event(
        'member.role_changed',
        association_id,
        { member_id: bola.member_id, from: 'member', to: 'secretary' },
        world.clock.now,
      ),
      event('pin.changed' as never, undefined, pin as never, world.clock.now),
    );
    assert.deepEqual(await at('2026-10-02T10:00:00Z'), {
      amina: ['Your PIN has changed'],
      bola: ['SMS Njangi of Bonamoussadi : votre role est maintenant secrétaire (avant : membre).'],
    });
  });

  it('asks for the votes that are missing, until the approval is decided', async () => {
    const { association_id, amina, bola } = group;
    await choose(world, bola, { quiet_hours: { from: '12:00', to: '14:00', time_zone: null }, channels: ['email'] });
    const approval_id = randomUUID();
    const expires_at = '2026-09-10T18:30:00.000Z';
    const waiting_member_ids = [amina.member_id, bola.member_id];
    const votes = { status: 'pending', subject_type: 'distribution', expires_at, waiting_member_ids } as const;
    world.outside.votes.set(approval_id, { ...votes, waiting_member_ids: [...waiting_member_ids] });
    const data = { approval_id, subject_type: 'distribution', expires_at, required_approvals: 2 } as const;
    world.clock.now = new Date('2026-09-02T11:30:00Z');
    await world.handle(event('approval.requested', association_id, data, world.clock.now));
    assert.deepEqual(await at('2026-09-02T11:30:00Z'), {
      amina: ['Your vote is needed on a payment from the fund: Njangi of Bonamoussadi'],
      bola: [],
    });
    await world.handle(event('approval.approved', association_id, { approval_id }, world.clock.now));
    assert.deepEqual(await at('2026-09-02T13:00:00Z'), { amina: [], bola: [] });
    assert.ok((await statuses()).includes('vote_waiting email skipped no_longer_due'));
  });

  it('tells a beneficiary of a distribution, also one who has left since', async () => {
    const { association_id, amina } = group;
    const distribution_id = randomUUID();
    const paid = { distribution_id, beneficiary_member_id: amina.member_id, amount_minor: 25_000 };
    await world.handle(
      event('distribution.paid', association_id, paid, world.clock.now),
      event('member.left', association_id, { ...amina }, world.clock.now),
    );
    const told = await at('2026-09-01T09:00:00Z');
    assert.deepEqual(told.amina, ['FCFA 25,000 paid to you: Njangi of Bonamoussadi']);
  });

  it('tells no old news, such as when it reads the events of years', async () => {
    const { association_id, amina } = group;
    const paid = { beneficiary_member_id: amina.member_id, amount_minor: 25_000 };
    world.clock.now = new Date('2026-10-01T00:00:00Z');
    await world.handle(
      event(
        'distribution.paid',
        association_id,
        { ...paid, distribution_id: randomUUID() },
        new Date('2026-09-27T23:59:00Z'),
      ),
      event(
        'distribution.paid',
        association_id,
        { ...paid, distribution_id: randomUUID() },
        new Date('2026-09-28T00:01:00Z'),
      ),
    );
    assert.equal((await at('2026-10-01T00:00:00Z')).amina.length, 1);
  });

  it('asks membership about groups and members that no event has named', async () => {
    const { amina } = group;
    const association_id = randomUUID();
    const member = { ...amina, member_id: randomUUID() };
    const terms = { name: 'Old group', currency: 'EUR', time_zone: 'Europe/Paris' };
    world.outside.rosters.set(association_id, { terms, members: [member] } as never);
    const paid = { distribution_id: randomUUID(), beneficiary_member_id: member.member_id, amount_minor: 1_050 };
    await world.handle(event('distribution.paid', association_id, paid, world.clock.now));
    assert.deepEqual((await at('2026-09-01T09:00:00Z')).amina, ['€10.50 paid to you: Old group']);
  });

  it('waits while another service cannot be reached', async () => {
    await group.schedule(world, '2026-10-05');
    world.outside.isAway = true;
    assert.deepEqual(await at('2026-10-01T23:00:00Z'), { amina: [], bola: [] });
    world.outside.isAway = false;
    assert.equal((await at('2026-10-01T23:00:10Z')).amina.length, 1);
  });

  it('tells each member of a large meeting once, page by page', async () => {
    const meeting_id = await group.schedule(world, '2026-10-05');
    const whole = group.page(world, meeting_id);
    const pages = whole.dues.map((due, index) => ({
      ...whole,
      dues: [due],
      next_member_id: index < whole.dues.length - 1 ? due.member_id : null,
    }));
    world.outside.meetings.set(meeting_id, pages);
    const told = await at('2026-10-01T23:00:00Z');
    assert.deepEqual([told.amina.length, told.bola.length], [1, 2]);
    assert.equal((await statuses()).length, 4);
  });

  it('skips, and says so, where no channel is configured', async () => {
    const { amina } = group;
    const silent = await openWorld({ url: await servers.createDatabase() });
    const other = await foundGroup(silent);
    await other.schedule(silent, '2026-10-05');
    silent.clock.now = new Date('2026-10-01T23:00:00Z');
    await silent.run();
    const rows = await silent.db.rows<{ line: string }>(
      `SELECT DISTINCT concat_ws(' ', type, status, reason) AS line FROM messages`,
    );
    assert.deepEqual(rows, [{ line: 'due_soon skipped no_channel' }]);
    assert.ok(silent.logged.some((line) => line.includes('skipped') && line.includes('no_channel')));
    assert.doesNotMatch(silent.logged.join('\n'), /@example|\+237/);
    assert.ok(amina.email !== null);
    await silent.close();
  });
});
