import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { readEmail, readPhone } from '../src/preferences/addresses.rules.ts';
import { addressHash, codeOf, isCode, readCode } from '../src/preferences/codes.rules.ts';
import { channelsFor, isWanted, DEFAULT_PREFERENCES, type Channel } from '../src/preferences/preferences.rules.ts';
import { nextTry } from '../src/messages/messages.rules.ts';

describe('addresses', () => {
  it('are e-mail addresses in their normal form', () => {
    assert.equal(readEmail('Awa.Ngono+tontine@Example.COM'), 'Awa.Ngono+tontine@example.com');
    assert.equal(readEmail('awa@bücher.example'), 'awa@xn--bcher-kva.example');
    const wrong = [
      'awa',
      '@example.com',
      'awa@',
      'awa@localhost',
      'a b@example.com',
      'awa@example.com\r\nBcc: x@example.com',
    ];
    wrong.push('"a b"@example.com', 'awa@exa_mple.com', '<awa@example.com>', 'awa..b@example.com', 'awa@127.0.0.1');
    wrong.push(
      'a@example.com,b@example.com',
      `${'a'.repeat(65)}@example.com`,
      `a@${'b.'.repeat(130)}com`,
      'awa@-a.com',
    );
    for (const text of wrong) assert.equal(readEmail(text), undefined, text);
  });

  it('are phone numbers with a country code', () => {
    assert.equal(readPhone('+237 6 70-00.00 (00)'), '+237670000000');
    for (const text of ['670000000', '00237670000000', '+0123456789', '+1234', '+1234567890123456', '+23767x000000']) {
      assert.equal(readPhone(text), undefined, text);
    }
  });
});

describe('codes', () => {
  const key = 'k'.repeat(32);

  it('have six digits, which depend on the id and the key', () => {
    const id = randomUUID();
    assert.match(codeOf(key, id), /^\d{6}$/);
    assert.equal(codeOf(key, id), codeOf(key, id));
    const codes = new Set(Array.from({ length: 1_000 }, () => codeOf(key, randomUUID())));
    assert.ok(codes.size > 980);
    const others = Array.from({ length: 20 }, (_, index) => codeOf(`${key}${String(index)}`, id));
    assert.ok(new Set(others).size > 10);
  });

  it('are compared without blanks', () => {
    const id = randomUUID();
    const code = codeOf(key, id);
    assert.ok(isCode(` ${code.slice(0, 3)} ${code.slice(3)}`, key, id));
    assert.ok(!isCode(String((Number(code) + 1) % 1_000_000).padStart(6, '0'), key, id));
    assert.ok(!isCode('', key, id));
    assert.ok(!isCode(`${code}0`, key, id));
  });

  it('are read with blanks or hyphens anywhere, and refused unless they are six digits', () => {
    for (const text of ['482913', ' 482 913 ', '48 29 13', '482-913', '482\u00a0913', '4\t82913\n']) {
      assert.equal(readCode(text), '482913', text);
    }
    for (const text of ['', ' ', '12345', '1234567', '48291o', '+48291', '482.913', '٤٨٢٩١٣', '４８２９１３']) {
      assert.equal(readCode(text), undefined, text);
    }
  });

  it('are counted by a value from which the address cannot be found without the key', () => {
    assert.notDeepEqual(addressHash(key, 'awa@example.com'), addressHash(`${key}x`, 'awa@example.com'));
  });

  it('are counted together for the ways to write an address that lead to one mailbox', () => {
    const same = ['Awa@example.com', 'awa+1@example.com', 'AWA+a+b@example.com', 'awa+@example.com'];
    for (const other of same) assert.deepEqual(addressHash(key, other), addressHash(key, 'awa@example.com'), other);
    const others = ['awa1@example.com', 'awa@example.org', '+237670000000', '+a@example.com'];
    const hashes = [...others, '+237670000001', '+b@example.com'].map((each) => addressHash(key, each).toString('hex'));
    assert.equal(new Set(hashes).size, 6);
  });
});

describe('channels', () => {
  const both: Channel[] = ['email', 'sms'];
  const plan = (
    channels: Channel[],
    confirmed: Channel[],
    configured: Channel[],
    type: 'due_soon' | 'pin_changed' = 'due_soon',
  ) =>
    channelsFor({ channels }, type, new Set(confirmed), new Set(configured)).map(
      ({ channel, skipped = 'send' }) => `${channel} ${skipped}`,
    );

  it('are those with a confirmed address', () => {
    assert.deepEqual(plan(both, both, both), ['email send', 'sms send']);
    assert.deepEqual(plan(both, ['sms'], both), ['sms send']);
    assert.deepEqual(plan(['email'], both, both), ['email send']);
  });

  it('leave one record if there is none, and say why', () => {
    assert.deepEqual(plan(both, [], both), ['email no_address']);
    assert.deepEqual(plan(both, [], []), ['email no_channel']);
    assert.deepEqual(plan(both, ['email'], ['sms']), ['email no_channel']);
    assert.deepEqual(plan([], both, both), []);
    assert.deepEqual(plan([], [], both, 'pin_changed'), ['email no_address']);
  });

  it('are all for what protects the person, if they have chosen none', () => {
    assert.deepEqual(plan([], both, both, 'pin_changed'), ['email send', 'sms send']);
    assert.deepEqual(plan(['sms'], both, both, 'pin_changed'), ['sms send']);
  });

  it('carry what the person wants, and always what protects them', () => {
    const none = { ...DEFAULT_PREFERENCES, types: [] };
    assert.ok(isWanted(DEFAULT_PREFERENCES, 'due_soon'));
    assert.ok(!isWanted(none, 'due_soon'));
    for (const type of ['role_changed', 'pin_changed', 'webhook_disabled', 'confirm_address'] as const) {
      assert.ok(isWanted(none, type));
    }
  });
});

describe('a message that could not be sent', () => {
  it('is tried again after longer waits, at least as long as the other side asks for', () => {
    const now = new Date(0);
    const waits = [1, 2, 3, 4, 5, 6, 50].map((failures) => nextTry(failures, now).getTime() / 1_000);
    assert.deepEqual(waits, [10, 60, 300, 900, 1_800, 3_600, 3_600]);
    assert.equal(nextTry(1, now, { after_ms: 120_000 }).getTime(), 120_000);
    assert.equal(nextTry(6, now, { isChannelDown: true }).getTime(), 300_000);
  });
});
