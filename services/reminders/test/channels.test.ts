import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, beforeEach, describe, it } from 'node:test';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import type { Sender } from '../src/channels/channels.ts';
import { smsSender } from '../src/channels/sms.ts';
import { bodyKindOf, fillTemplate, readHeaders, templateFault } from '../src/channels/sms-template.rules.ts';
import { smtpSender } from '../src/channels/smtp.ts';
import { writeMessage } from '../src/texts/texts.view.ts';
import { startMailServer, startSmsGateway, type MailServer, type SmsGateway } from './harness/outbox.ts';

const GROUP = { name: 'Njangi «Été» & Söhne', currency: 'XAF', time_zone: 'Africa/Douala' };
const MESSAGE = writeMessage(
  { type: 'due_soon', facts: { due_on: '2026-10-05', amount_minor: 10_000 }, group: GROUP, days_left: 3 },
  'fr',
);
const MAIL = 'awa@example.com';

/** Sends once, and tells the outcome and whether the message had been handed over by then. */
async function send(sender: Sender, to: string, mayHandOver = true) {
  const message_id = randomUUID();
  let handedOver = 0;
  const handOver = () => {
    handedOver += 1;
    return Promise.resolve(mayHandOver);
  };
  const outcome = await sender.send({ message_id, to, message: MESSAGE, handOver });
  return { message_id, outcome, handedOver };
}

/** Returns a port on which nothing listens. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

describe('e-mail', () => {
  let server: MailServer;
  let sender: Sender;
  const senderTo = (url: string) => smtpSender({ url, from: 'Tontine <no-reply@tontine.example>' });

  before(async () => {
    server = await startMailServer();
  });
  after(() => server.stop());
  beforeEach(() => {
    sender?.close();
    sender = senderTo(server.url);
    Object.assign(server.rules, { refuse_recipient: undefined, refuse_content: undefined, closes: false });
    server.mails.length = 0;
  });
  after(() => {
    sender.close();
  });

  it('has both parts, and headers that name the message and stop automatic answers', async () => {
    const { message_id, outcome } = await send(sender, MAIL);
    assert.deepEqual(outcome, { kind: 'sent' });
    const [mail] = server.mails;
    assert.equal(mail?.messageId, `<${message_id}@tontine.example>`);
    assert.equal(mail.subject, MESSAGE.piece.subject);
    assert.deepEqual([mail.from?.text, mail.to], ['"Tontine" <no-reply@tontine.example>', mail.to]);
    assert.equal(server.recipients.at(-1), MAIL);
    assert.equal(mail.headers.get('auto-submitted'), 'auto-generated');
    assert.match(mail.text ?? '', /«\u00a0Njangi «Été» & Söhne\u00a0» du lundi 5 octobre 2026/);
    assert.match(String(mail.html), /<html lang="fr">/);
  });

  it('is handed over just before its content', async () => {
    server.rules.refuse_recipient = 450;
    assert.equal((await send(sender, MAIL)).handedOver, 0);
    server.rules.refuse_recipient = undefined;
    assert.equal((await send(sender, MAIL)).handedOver, 1);
  });

  it('is not sent if it may not be handed over, and the next one is', async () => {
    const { outcome } = await send(sender, MAIL, false);
    assert.equal(outcome.kind, 'retry');
    assert.equal(server.mails.length, 0);
    assert.equal((await send(sender, MAIL)).outcome.kind, 'sent');
    assert.equal(server.mails.length, 1);
  });

  it('is tried again after a temporary refusal, of the recipient or the content', async () => {
    server.rules.refuse_recipient = 451;
    const greylisted = await send(sender, MAIL);
    assert.deepEqual(greylisted.outcome, { kind: 'retry', isChannelDown: false, cause: 'EENVELOPE RCPT TO 451' });
    server.rules = { refuse_content: 452 };
    assert.equal((await send(sender, MAIL)).outcome.kind, 'retry');
    assert.equal(server.mails.length, 0);
  });

  it('is given up after a final refusal', async () => {
    server.rules.refuse_recipient = 550;
    assert.deepEqual((await send(sender, MAIL)).outcome, { kind: 'refused' });
    server.rules = { refuse_content: 554 };
    assert.deepEqual((await send(sender, MAIL)).outcome, { kind: 'refused' });
  });

  it('has an unknown outcome if the server took the content and did not answer', async () => {
    server.rules.closes = true;
    const { outcome, handedOver } = await send(sender, MAIL);
    assert.equal(outcome.kind, 'unknown');
    assert.equal(handedOver, 1);
    assert.equal(server.mails.length, 1);
  });

  it('waits while there is no server', async () => {
    const away = senderTo(`smtp://127.0.0.1:${String(await freePort())}`);
    const { outcome, handedOver } = await send(away, MAIL);
    assert.ok(outcome.kind === 'retry' && outcome.isChannelDown);
    assert.equal(handedOver, 0);
    away.close();
  });

  it('waits while the credentials are refused, as that is a mistake in the settings', async () => {
    const port = new URL(server.url).port;
    const wrong = senderTo(`smtp://tontine:wrong@127.0.0.1:${port}`);
    const { outcome } = await send(wrong, MAIL);
    assert.ok(outcome.kind === 'retry' && outcome.isChannelDown);
    wrong.close();
    const right = senderTo(`smtp://tontine:p%40ss%3Aword@127.0.0.1:${port}`);
    assert.equal((await send(right, MAIL)).outcome.kind, 'sent');
    right.close();
  });

  it('says nothing about the recipient in its outcome', async () => {
    for (const rules of [{ refuse_recipient: 451 }, { refuse_content: 451 }, { closes: true }]) {
      server.rules = rules;
      assert.doesNotMatch(JSON.stringify((await send(sender, MAIL)).outcome), /awa/);
    }
  });

  it('shares connections, and goes on over new ones when idle ones were closed', async () => {
    const all = await Promise.all(Array.from({ length: 10 }, () => send(sender, MAIL)));
    assert.ok(all.every(({ outcome }) => outcome.kind === 'sent'));
    assert.equal(server.mails.length, 10);
  });
});

describe('SMS', () => {
  let gateway: SmsGateway;
  const json = { 'content-type': 'application/json' };
  const PHONE = '+237670000000';

  before(async () => {
    gateway = await startSmsGateway();
  });
  after(() => gateway.stop());
  beforeEach(() => {
    gateway.requests.length = 0;
    gateway.answers.length = 0;
  });

  const sender = (headers: Record<string, string> = json, body = '{"to": "{to}", "text": "{text}"}') =>
    smsSender({ url: gateway.url, headers, kind: bodyKindOf(headers['content-type'] ?? '') ?? 'text', body });

  it('is a request as the settings describe it', async () => {
    const headers = { ...json, authorization: 'Bearer secret', 'idempotency-key': '{id}' };
    const { outcome, message_id } = await send(sender(headers), PHONE);
    assert.deepEqual(outcome, { kind: 'sent' });
    const [request] = gateway.requests;
    assert.deepEqual(JSON.parse(request?.body ?? ''), { to: PHONE, text: MESSAGE.sms });
    assert.equal(request?.headers['authorization'], 'Bearer secret');
    assert.equal(request.headers['idempotency-key'], message_id);
  });

  it('can be a form', async () => {
    await send(sender({ 'content-type': 'application/x-www-form-urlencoded' }, 'To={to}&Body={text}'), PHONE);
    const form = new URLSearchParams(gateway.requests[0]?.body);
    assert.deepEqual(Object.fromEntries(form), { To: PHONE, Body: MESSAGE.sms });
  });

  it('is tried again if the gateway has certainly not taken it', async () => {
    gateway.answers.push(429, 503, 401);
    const waits = { kind: 'retry', isChannelDown: true };
    assert.deepEqual((await send(sender(), PHONE)).outcome, { ...waits, after_ms: 120_000, cause: 'HTTP 429' });
    assert.deepEqual((await send(sender(), PHONE)).outcome, { ...waits, after_ms: 120_000, cause: 'HTTP 503' });
    assert.deepEqual((await send(sender(), PHONE)).outcome, { ...waits, cause: 'HTTP 401' });
    const away = smsSender({
      url: `http://127.0.0.1:${String(await freePort())}/`,
      headers: json,
      kind: 'json',
      body: '{}',
    });
    assert.deepEqual((await send(away, PHONE)).outcome, { ...waits, cause: 'ECONNREFUSED' });
  });

  it('is given up if the gateway refuses it, also by sending it elsewhere', async () => {
    gateway.answers.push(400, 422, 302);
    for (let count = 0; count < 3; count += 1)
      assert.deepEqual((await send(sender(), PHONE)).outcome, { kind: 'refused' });
    assert.equal(gateway.requests.length, 3);
  });

  it('has an unknown outcome after any other answer, and without one', async () => {
    gateway.answers.push(500, 502, 'hang_up');
    for (let count = 0; count < 3; count += 1) assert.equal((await send(sender(), PHONE)).outcome.kind, 'unknown');
  });

  it('is tried again if its request cannot be made, as it is certain that the gateway has not taken it', async () => {
    const url = gateway.url.replace('://', '://user:pass@');
    const { outcome, handedOver } = await send(smsSender({ url, headers: json, kind: 'json', body: '{}' }), PHONE);
    assert.deepEqual(outcome, { kind: 'retry', isChannelDown: true, cause: 'TypeError' });
    assert.equal(handedOver, 0);
    // Port 6000 is one of those that fetch refuses to connect to.
    const blocked = smsSender({ url: 'http://127.0.0.1:6000/', headers: json, kind: 'json', body: '{}' });
    assert.deepEqual((await send(blocked, PHONE)).outcome, { kind: 'retry', isChannelDown: true, cause: 'bad port' });
  });

  it('is not requested if it may not be handed over', async () => {
    assert.equal((await send(sender(), PHONE, false)).outcome.kind, 'retry');
    assert.equal(gateway.requests.length, 0);
  });
});

describe('the template of an SMS request', () => {
  const values = { to: '+237', text: 'a "b" \\ & c=d\n{to}', id: '1' };

  it('is filled so that no value adds anything to it', () => {
    const filled = fillTemplate('{"to": "{to}", "text": "{text}"}', values, 'json');
    assert.deepEqual(JSON.parse(filled), { to: values.to, text: values.text });
    const form = new URLSearchParams(fillTemplate('to={to}&text={text}', values, 'form'));
    assert.deepEqual(Object.fromEntries(form), { to: values.to, text: values.text });
    const injected = { ...values, text: `</text></sms><sms to="+1"><text a='b'>]]>&amp;` };
    assert.equal(
      fillTemplate('<sms to="{to}"><text>{text}</text></sms>', injected, 'xml'),
      '<sms to="+237"><text>&lt;/text&gt;&lt;/sms&gt;&lt;sms to=&quot;+1&quot;&gt;&lt;text a=&apos;b&apos;&gt;]]&gt;&amp;amp;</text></sms>',
    );
  });

  it('is JSON if its content type says so', () => {
    assert.deepEqual(
      [
        'application/json',
        'application/vnd.api+json; charset=utf-8',
        'application/x-www-form-urlencoded',
        'application/xml',
        'Text/XML; charset=utf-8',
        'application/soap+xml;charset=UTF-8',
        'text/plain; charset=utf-8',
      ].map(bodyKindOf),
      ['json', 'json', 'form', 'xml', 'xml', 'xml', 'text'],
    );
    for (const other of ['', 'application/octet-stream', 'text/html', 'xml', 'application/xmlx', 'text/plainer']) {
      assert.equal(bodyKindOf(other), undefined, other);
    }
    assert.equal(templateFault('{"to": "{to}", "text": "{text}"}', 'json'), undefined);
    assert.match(templateFault('{"to": {to}, "text": {text}}', 'json') ?? '', /quotation marks/);
    assert.match(templateFault('{"to": "{to}"}', 'json') ?? '', /must contain/);
  });

  it('has headers of ASCII', () => {
    assert.deepEqual(readHeaders('{"X-Key": "a b"}'), { 'x-key': 'a b' });
    for (const json of [
      '[]',
      'null',
      '{"a": 1}',
      '{"a b": "c"}',
      '{"a": "b\\r\\nc: d"}',
      '{"a": "é"}',
      'x',
      '{"Transfer-Encoding": "chunked"}',
    ]) {
      assert.equal(readHeaders(json), undefined, json);
    }
  });
});
