import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { secretBox } from '../src/secrets/secret-box.ts';
import { keyOf, SECRET_BYTES, signedHeaders, writeSecret } from '../src/secrets/signature.rules.ts';
import { judge, type Exchange } from '../src/sending/outcome.rules.ts';
import {
  JITTER_MAX_RATIO,
  readRetryAfter,
  RETRY_AFTER_MAX_MS,
  RETRY_WAITS_MS,
  retryWaitMs,
} from '../src/sending/schedule.rules.ts';

const NOW = new Date('2026-10-05T18:30:00.000Z');
const BODY = '{"specversion":"1.0","type":"webhook.ping","data":{"name":"Amélie – 1 000 F"}}';
const newSecret = () => writeSecret(randomBytes(SECRET_BYTES));

describe('signatures', () => {
  const now = new Date();

  it('are accepted by the verifier of the specification', () => {
    const secret = newSecret();
    const headers = signedHeaders('msg_1', now, BODY, [secret]);
    assert.deepEqual(new Webhook(secret).verify(BODY, headers), JSON.parse(BODY));
  });

  it('are made with each secret', () => {
    const [newer, older] = [newSecret(), newSecret()];
    const headers = signedHeaders('msg_1', now, BODY, [newer, older]);
    assert.match(headers['webhook-signature'], /^v1,[\w+/]{43}= v1,[\w+/]{43}=$/);
    for (const secret of [newer, older]) new Webhook(secret).verify(BODY, headers);
    assert.throws(() => new Webhook(newSecret()).verify(BODY, headers));
  });

  it('cover id, time and body', () => {
    const secret = newSecret();
    const headers = signedHeaders('msg_1', now, BODY, [secret]);
    const later = String(Number(headers['webhook-timestamp']) + 1);
    const changes: [string, object][] = [
      [BODY, { 'webhook-id': 'msg_2' }],
      [BODY, { 'webhook-timestamp': later }],
      [`${BODY} `, {}],
    ];
    for (const [body, change] of changes) {
      assert.throws(() => new Webhook(secret).verify(body, { ...headers, ...change }));
    }
  });

  it('use 32 bytes', () => {
    const key = randomBytes(SECRET_BYTES);
    assert.equal(writeSecret(key), `whsec_${key.toString('base64')}`);
    assert.deepEqual(keyOf(writeSecret(key)), key);
  });
});

describe('sealed secrets', () => {
  const [first, second] = ['a'.repeat(32), 'b'.repeat(32)];

  it('are opened in their place only', () => {
    const box = secretBox([first]);
    const sealed = box.seal('whsec_x', 'webhook 1');
    assert.equal(box.open(sealed, 'webhook 1'), 'whsec_x');
    assert.throws(() => box.open(sealed, 'webhook 2'));
  });

  it('do not repeat, and do not contain the text', () => {
    const box = secretBox([first]);
    const [one, other] = [box.seal('whsec_x', 'p'), box.seal('whsec_x', 'p')];
    assert.notEqual(one, other);
    assert.equal(one.includes('whsec'), false);
    assert.equal(Buffer.from(one.slice(9), 'base64url').includes('whsec'), false);
  });

  it('are refused if a byte is changed', () => {
    const box = secretBox([first]);
    const sealed = box.seal('whsec_x', 'p');
    for (let at = 9; at < sealed.length - 1; at += 1) {
      const changed = sealed.slice(0, at) + (sealed[at] === 'A' ? 'B' : 'A') + sealed.slice(at + 1);
      assert.throws(() => box.open(changed, 'p'), `changed at ${String(at)}`);
    }
  });

  it('are still opened after the key was replaced, while it is a second one', () => {
    const sealed = secretBox([first]).seal('whsec_x', 'p');
    assert.equal(secretBox([second, first]).open(sealed, 'p'), 'whsec_x');
    assert.throws(() => secretBox([second]).open(sealed, 'p'));
    assert.deepEqual(secretBox([second, first]).key_ids.slice(1), secretBox([first]).key_ids);
  });
});

describe('the schedule', () => {
  it('has the waits of the specification', () => {
    const minutes = RETRY_WAITS_MS.map((wait_ms) => wait_ms / 60_000);
    assert.deepEqual(minutes, [5 / 60, 5, 30, 120, 300, 600, 840, 1_200, 1_440]);
    assert.equal(retryWaitMs(1, undefined, 0), 5_000);
    assert.equal(retryWaitMs(9, undefined, 0), 24 * 60 * 60_000);
    assert.equal(retryWaitMs(10, undefined, 0), undefined);
  });

  it('never waits for less, and spreads the attempts', () => {
    for (const random of [0, 0.3, 0.999]) {
      const wait_ms = retryWaitMs(2, undefined, random) ?? 0;
      assert.ok(wait_ms >= 300_000 && wait_ms <= 300_000 * (1 + JITTER_MAX_RATIO));
    }
    assert.notEqual(retryWaitMs(2, undefined, 0.1), retryWaitMs(2, undefined, 0.9));
  });

  it('honours Retry-After if it is longer, up to a day', () => {
    assert.equal(retryWaitMs(1, 60_000, 0), 60_000);
    assert.equal(retryWaitMs(2, 1_000, 0), 300_000);
    assert.equal(retryWaitMs(1, 365 * 24 * 60 * 60_000, 0), RETRY_AFTER_MAX_MS);
    assert.equal(retryWaitMs(1, 365 * 24 * 60 * 60_000, 1), RETRY_AFTER_MAX_MS);
    assert.equal(retryWaitMs(1, 60_000, 1), 66_000);
    assert.equal(retryWaitMs(10, 60_000, 0), undefined);
  });

  it('reads seconds and dates', () => {
    assert.equal(readRetryAfter('120', NOW), 120_000);
    assert.equal(readRetryAfter(' 0 ', NOW), 0);
    assert.equal(readRetryAfter('Mon, 05 Oct 2026 18:31:00 GMT', NOW), 60_000);
    assert.equal(readRetryAfter('Monday, 05-Oct-26 18:31:00 GMT', NOW), 60_000);
    assert.equal(readRetryAfter('Mon Oct  5 18:31:00 2026 GMT', NOW), 60_000);
    assert.equal(readRetryAfter('Mon, 05 Oct 2026 18:29:00 GMT', NOW), 0);
    for (const text of [undefined, '', 'soon', '-5', '1.5', '1e9', '99999999999', '2026-10-05']) {
      assert.equal(readRetryAfter(text, NOW), undefined, text);
    }
  });
});

describe('outcomes', () => {
  const answered = (status_code: number, retry_after?: string): Exchange => ({
    status_code,
    error: null,
    retry_after,
    duration_ms: 1,
  });
  const outcome = (exchange: Exchange, tries = 0) => judge(exchange, tries, NOW, 0);

  it('deliver with any 2xx', () => {
    for (const code of [200, 201, 202, 204, 299]) assert.equal(outcome(answered(code)).status, 'delivered');
  });

  it('repeat anything else, also redirects', () => {
    for (const code of [101, 301, 302, 307, 400, 401, 404, 429, 500, 503]) {
      assert.deepEqual(outcome(answered(code)), { status: 'pending', wait_ms: 5_000, isGone: false });
    }
    const lost: Exchange = { status_code: null, error: 'timeout', duration_ms: 15_000 };
    assert.deepEqual(outcome(lost, 1), { status: 'pending', wait_ms: 300_000, isGone: false });
  });

  it('wait for as long as the endpoint asks', () => {
    assert.equal(outcome(answered(503, '90')).wait_ms, 90_000);
    assert.equal(outcome(answered(429, 'Mon, 05 Oct 2026 18:40:00 GMT')).wait_ms, 600_000);
  });

  it('fail after the last attempt', () => {
    assert.deepEqual(outcome(answered(500), 9), { status: 'failed', wait_ms: undefined, isGone: false });
    assert.equal(outcome(answered(500), 8).status, 'pending');
  });

  it('end with 410, which disables the endpoint', () => {
    assert.deepEqual(outcome(answered(410)), { status: 'failed', wait_ms: undefined, isGone: true });
  });
});
