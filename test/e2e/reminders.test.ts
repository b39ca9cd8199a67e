import { expect } from 'chai';
import type { ParsedMail } from 'mailparser';
import { startMailServer, startSmsGateway } from '../../services/reminders/test/harness/outbox.ts';
import type { MailServer, SmsGateway } from '../../services/reminders/test/harness/outbox.ts';
import { inDatabase, startCluster, TOGETHER_WITH_FURTHER, type Cluster } from '../harness/cluster.ts';
import { eventually } from '../harness/eventually.ts';
import { foundGroup } from '../harness/group.ts';
import { HttpClient, type HttpAnswer, type Json } from '../harness/http.ts';
import { contribute, done, propose, startedRounds, vote } from '../harness/requests.ts';
import type { TestMember } from '../harness/test-member.ts';
import { keepSecrets } from '../harness/written-output.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** The limits of codes, as the documentation has them. */
const WRONG_TRIES_MAX = 5;
const CODES_OF_USER_MAX = 5;
const CODES_OF_ADDRESS_MAX = 3;
const CODE_LIFE_MS = 15 * MINUTE_MS;

/** A day on which nothing is due when the group is founded. */
const DAYS_AHEAD = 10;

const SETTINGS = '/me/notifications';

describe('reminders', function () {
  this.timeout(120_000);
  let cluster: Cluster;
  let mailServer: MailServer;
  let smsGateway: SmsGateway;
  /** Codes and addresses of the tests, which nothing may write. */
  const personal: string[] = [];
  let users = 0;
  /** What the test clock was last moved to; it has gone on since then. */
  let latest_ms = 0;

  before(async () => {
    [mailServer, smsGateway] = await Promise.all([startMailServer(), startSmsGateway()]);
    cluster = await startCluster({
      processes: TOGETHER_WITH_FURTHER,
      settings: {
        CLOCK: 'test',
        SMTP_URL: mailServer.url,
        SMTP_FROM: 'Savings <no-reply@example.com>',
        SMS_URL: smsGateway.url,
      },
    });
  });
  after(async () => {
    await cluster.stop();
    await mailServer.stop();
    await smsGateway.stop();
  });

  const newUser = () => new HttpClient(cluster.origin, cluster.token(`told-${String((users += 1))}`));

  const newAddress = (): string => {
    const address = `someone.${String((users += 1))}.of-${String(process.pid)}@mail.example.com`;
    keepSecrets(address);
    personal.push(address);
    return address;
  };

  async function advanceTo(ms: number): Promise<void> {
    latest_ms = ms;
    const tester = new HttpClient(cluster.origin, cluster.token('tester', { scope: 'clock:advance' }));
    const moved = await tester.send('POST', '//clock', { advance_to: new Date(ms).toISOString() });
    expect(moved.status, moved.text).to.equal(200);
  }
  const advance = (by_ms: number) => advanceTo(Math.max(Date.now(), latest_ms) + by_ms);

  const change = (http: HttpClient, body: Json): Promise<HttpAnswer> => http.send('PATCH', SETTINGS, body);
  const confirm = (http: HttpClient, code: string, channel = 'email'): Promise<HttpAnswer> =>
    http.post(`${SETTINGS}/confirm`, { channel, code });

  /** The mails to an address, the oldest first. */
  const mailsTo = (address: string): ParsedMail[] =>
    mailServer.mails.filter((_mail, index) => mailServer.recipients[index] === address);

  /** Waits until a mail to the address has this subject. */
  const mail = (address: string, subject: RegExp): Promise<ParsedMail> =>
    eventually(() => {
      const found = mailsTo(address).findLast((each) => subject.test(each.subject ?? ''));
      if (found === undefined) throw new Error(`no mail ${String(subject)}`);
      return found;
    });

  /** Waits for the latest of so many codes. */
  const code = (address: string, count = 1): Promise<string> =>
    eventually(() => {
      const codes = mailsTo(address).flatMap(({ text = '' }) => /^\d{6}$/m.exec(text) ?? []);
      expect(codes).to.have.length(count);
      personal.push(codes.at(-1)!);
      return codes.at(-1)!;
    });

  /** Sets an address and confirms it. */
  async function reachable(http: HttpClient, body: Json = {}): Promise<string> {
    const address = newAddress();
    expect((await change(http, { email: address, ...body })).status).to.equal(200);
    expect((await confirm(http, await code(address))).status).to.equal(200);
    return address;
  }

  const wrong = (right: string): string => String((Number(right) + 1) % 1_000_000).padStart(6, '0');

  const refusal = ({ status, body }: HttpAnswer) => `${String(status)} ${String(body.code)}`;

  it('confirm an address by the code of a mail, once', async () => {
    const http = newUser();
    const address = newAddress();
    const set = await change(http, { email: address.toUpperCase().replace('MAIL.EXAMPLE.COM', 'Mail.Example.com') });
    expect(set.body.email_confirmed).to.equal(false);
    expect(set.body.email_in_use).to.equal(null);
    const stored = set.body.email as string;
    keepSecrets(stored);
    personal.push(stored);
    const right = await code(stored);
    const guess = await confirm(http, wrong(right));
    expect([refusal(guess), guess.body.attempts_left]).to.deep.equal(['403 code_invalid', WRONG_TRIES_MAX - 1]);
    // As people copy it.
    const confirmed = await confirm(http, ` ${right.slice(0, 3)} ${right.slice(3)} `);
    expect(confirmed.body, confirmed.text).to.include({
      email: stored,
      email_confirmed: true,
      email_in_use: stored,
    });
    expect(await http.ok(SETTINGS)).to.deep.equal(confirmed.body);
    expect(refusal(await confirm(http, right))).to.equal('409 no_code_waiting');
  });

  it('count wrong codes, let them expire, and send each code to its own address only', async () => {
    const [http, other] = [newUser(), newUser()];
    const address = newAddress();
    await change(http, { email: address });
    const first = await code(address);
    const slip = await confirm(http, first.slice(1));
    expect(refusal(slip)).to.equal('422 validation_failed');
    expect((slip.body.errors as Json[]).map(({ pointer, code }) => [pointer, code])).to.deep.equal([
      ['/code', 'malformed'],
    ]);
    // It has cost no try.
    for (let left = WRONG_TRIES_MAX - 1; left >= 0; left -= 1)
      expect((await confirm(http, wrong(first))).body.attempts_left).to.equal(left);
    expect(refusal(await confirm(http, first))).to.equal('409 no_code_waiting');

    await change(http, { email: address });
    const second = await code(address, 2);
    expect(refusal(await confirm(other, second))).to.equal('409 no_code_waiting');
    expect(refusal(await confirm(http, second, 'sms'))).to.equal('409 no_code_waiting');
    await advance(CODE_LIFE_MS);
    expect(refusal(await confirm(http, second))).to.equal('409 no_code_waiting');
  });

  it('send a user, and an address, only so many codes an hour', async () => {
    const http = newUser();
    for (let count = 0; count < CODES_OF_USER_MAX; count += 1)
      expect((await change(http, { email: newAddress() })).status).to.equal(200);
    const before = await http.ok(SETTINGS);
    const refused = await change(http, { email: newAddress(), language: 'fr' });
    expect(refusal(refused)).to.equal('429 too_many_codes');
    expect(Number(refused.headers.get('retry-after'))).to.be.within(3_000, 3_600);
    expect(await http.ok(SETTINGS)).to.deep.equal(before);

    const address = newAddress();
    const outcomes = await Promise.all(
      Array.from({ length: 2 * CODES_OF_ADDRESS_MAX }, () => change(newUser(), { email: address })),
    );
    const accepted = outcomes.filter(({ status }) => status === 200);
    expect(accepted).to.have.length(CODES_OF_ADDRESS_MAX);
    await eventually(() => {
      expect(mailsTo(address)).to.have.length(CODES_OF_ADDRESS_MAX);
    });
    await advance(HOUR_MS + MINUTE_MS);
    expect((await change(http, { email: newAddress() })).status).to.equal(200);
  });

  it('confirm a phone by the code of an SMS', async () => {
    const http = newUser();
    const phone = `+2376${String(process.pid).padStart(8, '7').slice(-8)}`;
    keepSecrets(phone);
    personal.push(phone);
    const set = await change(http, { phone: phone.replace('+2376', '+237 6-'), channels: ['sms'] });
    expect(set.body.phone).to.equal(phone);
    const sent = await eventually(() => {
      const found = smsGateway.requests.map(({ body }) => JSON.parse(body) as Json).find(({ to }) => to === phone);
      if (found === undefined) throw new Error('no SMS');
      return found;
    });
    const [, right = ''] = /is (\d{6})\./.exec(sent.text as string) ?? [];
    personal.push(right);
    const confirmed = await confirm(http, right, 'sms');
    expect(confirmed.body).to.include({ phone_confirmed: true, phone_in_use: phone });
    expect((await change(http, { phone: null })).body).to.include({ phone: null, phone_in_use: null });
  });

  it('tell the old address of a new one, which is used once it is confirmed', async () => {
    const http = newUser();
    const old = await reachable(http);
    const next = newAddress();
    expect((await change(http, { email: next })).body).to.include({ email_confirmed: false, email_in_use: old });
    await confirm(http, await code(next));
    await mail(old, /no longer come here/);
    expect((await change(http, { email: null })).body).to.include({ email: null, email_in_use: null });
    await mail(next, /no longer come here/);
  });

  it('tell members of roles, and of what is due three days before, on the day and after it, each once', async () => {
    const group = await foundGroup(cluster, {
      size: 4,
      funding: 10_000,
      roles: ['president', 'treasurer'],
      pins: true,
    });
    const [president, treasurer, member, silent] = group.members as [TestMember, TestMember, TestMember, TestMember];
    const paying = await reachable(president.http);
    const owing = await reachable(member.http, { language: 'fr' });

    const { approval } = await done(
      propose(president, 'role_change', { member_id: member.member_id, role: 'secretary' }),
    );
    await done(vote(treasurer, (approval as Json).id));
    expect((await mail(owing, /^Votre rôle a changé/)).text).to.include('secrétaire');

    const day_ms = Math.ceil((latest_ms + DAYS_AHEAD * DAY_MS) / DAY_MS) * DAY_MS;
    const starts_on = new Date(day_ms).toISOString().slice(0, 10);
    const [round = ''] = await startedRounds(president, { order: 'join', starts_on });
    await done(contribute(president, round, 1_000));
    await meetingPlanned(round);
    for (const [days, address, subject] of [
      [-3, owing, /^1\s000\sFCFA à payer dans 3 jours/],
      // They have paid, and are the first of the rotation.
      [-1, paying, /^Your turn tomorrow/],
      [0, owing, /^1\s000\sFCFA à payer aujourd’hui/],
      [1, owing, /^1\s000\sFCFA en retard/],
    ] as const) {
      await advanceTo(day_ms + days * DAY_MS + MINUTE_MS);
      await mail(address, subject);
      // The same day again.
      await advance(MINUTE_MS);
    }
    expect(mailsTo(paying).filter(({ subject = '' }) => /due/.test(subject))).to.deep.equal([]);
    const { data } = await member.http.ok(`${SETTINGS}/sent`);
    const sent = (data as Json[]).filter(({ status }) => status === 'sent');
    expect(sent.map(({ type }) => type)).to.have.members([
      ...['confirm_address', 'role_changed', 'due_soon', 'due_today', 'due_late'],
    ]);
    const late = sent.find(({ type }) => type === 'due_late');
    expect(late).to.include({ association_id: group.id, channel: 'email', reason: null });
    expect(late?.occasion).to.include({ meeting_id: round, due_on: starts_on, amount: 1_000, currency: 'XAF' });
    expect(late?.text).to.match(/1\s000\sFCFA/);
    // Those without an address see why they were not told.
    const { data: skipped } = await silent.http.ok(`${SETTINGS}/sent`);
    expect((skipped as Json[]).find(({ type }) => type === 'due_late')).to.include({
      status: 'skipped',
      reason: 'no_address',
    });
  });

  /** Waits until the service knows of a meeting. */
  const meetingPlanned = (meeting_id: string): Promise<void> =>
    eventually(async () => {
      const { rows } = await inDatabase(cluster, 'reminders', (client) =>
        client.query('SELECT FROM meetings WHERE meeting_id = $1 AND is_planned', [meeting_id]),
      );
      expect(rows).to.have.length(1);
    });

  it('tell of a changed PIN whatever the user has chosen', async () => {
    const http = newUser();
    const address = await reachable(http, { channels: [], types: [] });
    await http.setPin();
    await mail(address, /^Your PIN has changed/);
    const { data } = await http.ok(`${SETTINGS}/sent`);
    expect((data as Json[]).map(({ type, text }) => [type, text === null])).to.deep.equal([
      ['pin_changed', false],
      ['confirm_address', true],
    ]);
    expect(JSON.stringify(data)).to.not.include('@');
  });

  it('write neither addresses nor codes', () => {
    const output = cluster.members().map((member) => member.output());
    const found = personal.filter((each) =>
      output.some((text) => new RegExp(`(?<![\\w-])${RegExp.escape(each)}(?![\\w-])`).test(text)),
    );
    expect(personal).to.have.length.above(20);
    expect(found).to.deep.equal([]);
  });
});
