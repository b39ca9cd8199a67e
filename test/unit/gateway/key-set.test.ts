import { generateKeyPairSync, type JsonWebKey, type KeyObject } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { SignJWT } from 'jose';
import { problemCode } from '../../../lib/errors/problem.ts';
import { keySet, type KeySet } from '../../../services/gateway/tokens/key-set.ts';
import { tokenVerifier, type TokenVerifier } from '../../../services/gateway/tokens/verifier.ts';

type Keys = Record<'publicKey' | 'privateKey', KeyObject>;

const newPair = () => generateKeyPairSync('ec', { namedCurve: 'P-256' });
const BEGIN_MS = Date.parse('2026-01-01T00:00:00Z');
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const UNUSED = newPair();

/** Returns the entry of a key in the provider's set. */
const listed = ({ publicKey }: Keys, members: object = {}): JsonWebKey => ({
  ...publicKey.export({ format: 'jwk' }),
  ...members,
});

describe('the key set of an identity provider', () => {
  const first = newPair();
  const second = newPair();
  const pairs = [first, second, ...Array.from({ length: 5 }, newPair)];
  const server = createServer((_request, response) => {
    asked += 1;
    answer(response);
  });
  let url: string;
  let asked: number;
  let answer: (response: ServerResponse) => void;
  let now_ms: number;
  let set: KeySet;
  let verify: TokenVerifier;
  let logged: string[];
  let reasons: unknown[];

  const offers = (...keys: unknown[]) => (answer = (response) => response.end(JSON.stringify({ keys })));
  const fails = () => (answer = (response) => response.writeHead(500).end());
  const hangs = () => (answer = () => undefined);

  before(async () => {
    await once(server.listen(0, '127.0.0.1'), 'listening');
    url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/jwks`;
  });
  after(() => {
    server.close();
    server.closeAllConnections();
  });
  beforeEach(() => {
    asked = 0;
    now_ms = BEGIN_MS;
    logged = [];
    reasons = [];
    const clock = () => new Date(now_ms);
    set = keySet({ jwksUrl: url }, clock);
    verify = tokenVerifier({ provider: { jwksUrl: url } }, clock, set);
    offers(...pairs.map((pair, at) => listed(pair, { kid: `key ${String(at)}`, use: 'sig' })));
  });

  /** Starts the set and waits for its first fetch; the timer of the set is never due in a test. */
  async function start(): Promise<void> {
    const note = (level: string) => (message: string, details: { reason: unknown }) => {
      logged.push(`${level}: ${message}`);
      reasons.push(details.reason);
    };
    set.start({ info: note('info'), warn: note('warn'), error: note('error') });
    set.stop();
    await set.current().catch(() => undefined);
  }

  async function refreshAfter(pause_ms: number): Promise<void> {
    now_ms += pause_ms;
    await set.refreshIfDue();
  }

  /** Returns the user of a token signed with this key, or the code of its refusal. */
  async function verdict({ privateKey }: Keys, kid?: string | null, alg = 'ES256'): Promise<string | undefined> {
    const token = await new SignJWT({ sub: 'awa', exp: now_ms / 1_000 + 60 })
      .setProtectedHeader({ alg, ...(kid === undefined ? {} : { kid: kid as string }) })
      .sign(privateKey);
    return verify(`Bearer ${token}`).then(
      ({ user_id }) => user_id,
      (error: unknown) => problemCode(error),
    );
  }

  it('is fetched once for any number of its keys, used in turn', async () => {
    await start();
    for (let turn = 0; turn < 10; turn += 1) {
      for (const [at, pair] of pairs.entries()) expect(await verdict(pair, `key ${String(at)}`)).to.equal('awa');
    }
    expect(asked).to.equal(1);
  });

  it('is fetched at most once in 30 s for unknown key ids, while known keys stay valid', async () => {
    await start();
    const flood = async () => {
      const verdicts = await Promise.all(pairs.map((pair, at) => verdict(pair, `made up ${String(at)}`)));
      expect(new Set(verdicts)).to.deep.equal(new Set(['token_invalid']));
      expect(await verdict(first, 'key 0')).to.equal('awa');
    };
    await flood();
    expect(asked).to.equal(1);
    now_ms += 30_000;
    await flood();
    await flood();
    expect(asked).to.equal(2);
    now_ms += 29_999;
    await flood();
    expect(asked).to.equal(2);
    await refreshAfter(10 * MINUTE_MS);
    fails();
    now_ms += 30_000;
    await flood();
    expect(asked).to.equal(4);
  });

  it('treats a key id of null as absent', async () => {
    offers(listed(first, { kid: 'a' }));
    await start();
    expect(await verdict(first, null)).to.equal('awa');
  });

  it('stays the same object until its keys change, so that verified tokens are not verified again', async () => {
    offers(listed(first, { kid: 'same' }), listed(second));
    await start();
    const before = await set.current();
    await refreshAfter(10 * MINUTE_MS);
    expect(await set.current()).to.equal(before);
    offers(listed(first, { kid: 'same' }), listed(first));
    await refreshAfter(10 * MINUTE_MS);
    expect(await set.current()).to.not.equal(before);
    expect(asked).to.equal(3);
  });

  it('verifies tokens of known keys while a fetch is in progress', async () => {
    await start();
    hangs();
    now_ms += 30_000;
    const stranger = verdict(UNUSED, 'made up');
    expect(await verdict(first, 'key 0')).to.equal('awa');
    server.closeAllConnections();
    expect(await stranger).to.equal('token_invalid');
  });

  it('fetches a new key once for all concurrent requests that use it', async () => {
    offers(listed(first, { kid: 'old' }));
    await start();
    offers(listed(first, { kid: 'old' }), listed(second, { kid: 'new' }));
    now_ms += 30_000;
    const verdicts = await Promise.all(pairs.map(() => verdict(second, 'new')));
    expect(new Set(verdicts)).to.deep.equal(new Set(['awa']));
    expect(asked).to.equal(2);
  });

  it('drops a withdrawn key within ten minutes, even for tokens that were verified before', async () => {
    await start();
    expect(await verdict(first, 'key 0')).to.equal('awa');
    offers(listed(second, { kid: 'key 1' }));
    await refreshAfter(10 * MINUTE_MS - 1);
    expect(await verdict(first, 'key 0')).to.equal('awa');
    await refreshAfter(1);
    expect(await verdict(first, 'key 0')).to.equal('token_invalid');
    expect(await verdict(second, 'key 1')).to.equal('awa');
  });

  it('stays valid for 24 h while the provider is unavailable, is fetched every 30 s, and logs one warning', async () => {
    await start();
    expect(logged).to.deep.equal(['info: token key set fetched']);
    fails();
    await refreshAfter(10 * MINUTE_MS);
    await refreshAfter(29_999);
    expect(asked).to.equal(2);
    await refreshAfter(1);
    expect(asked).to.equal(3);
    expect(set.state()).to.equal('degraded');
    expect(logged.slice(1)).to.deep.equal(['warn: token key set cannot be fetched, the last one stays in use']);

    now_ms = BEGIN_MS + 24 * HOUR_MS - 1;
    expect(await verdict(first, 'key 0')).to.equal('awa');
    await refreshAfter(1);
    expect(await verdict(first, 'key 0')).to.equal('service_unavailable');
    expect(set.state()).to.equal('down');
    expect(logged.slice(2)).to.deep.equal(['error: no token key set: tokens cannot be verified']);

    offers(listed(first, { kid: 'key 0' }));
    await refreshAfter(5_000);
    expect(await verdict(first, 'key 0')).to.equal('awa');
    expect(set.state()).to.equal('up');
    expect(logged.slice(3)).to.deep.equal(['warn: token key set fetched']);
  });

  it('may be unavailable at the start: tokens are refused with 503 and it is fetched every 5 s', async () => {
    fails();
    await start();
    expect(await verdict(first, 'key 0')).to.equal('service_unavailable');
    offers(listed(first, { kid: 'key 0' }));
    await refreshAfter(5_000);
    expect([await verdict(first, 'key 0'), asked]).to.deep.equal(['awa', 2]);
  });

  it('logs the reason of an outage again when the reason changes', async () => {
    fails();
    await start();
    await refreshAfter(5_000);
    expect(logged).to.have.length(1);
    answer = (response) => response.end('{}');
    await refreshAfter(5_000);
    expect(reasons).to.deep.equal([`${url}: status 500`, 'no key that verifies tokens']);
  });

  it('makes the first requests wait for the first fetch', async () => {
    const under_way = start();
    expect(await verdict(first, 'key 0')).to.equal('awa');
    await under_way;
    expect(asked).to.equal(1);
  });

  for (const [what, broken] of Object.entries<(response: ServerResponse) => void>({
    'is no JSON': (response) => response.end('<html>'),
    'is no key set': (response) => response.end('null'),
    'has no usable key': (response) => response.end('{"keys":[{"kty":"oct","k":"c2VjcmV0"}]}'),
    'is too large': (response) => response.end(' '.repeat(5_000_000)),
    'breaks off': (response) =>
      response.writeHead(200, { 'Content-Length': '100' }).write('{', () => response.destroy()),
    'is a redirect': (response) => response.writeHead(302, { Location: '/other' }).end(),
  })) {
    it(`keeps the last set when the answer ${what}`, async () => {
      await start();
      answer = broken;
      await refreshAfter(10 * MINUTE_MS);
      expect([set.state(), await verdict(first, 'key 0')]).to.deep.equal(['degraded', 'awa']);
    });
  }

  it('uses the keys that it supports and ignores every other entry', async () => {
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const ed = generateKeyPairSync('ed25519');
    offers(
      null,
      'x',
      { kid: 'strange', kty: 'AKP', alg: 'ML-DSA-44', pub: 'AAAA' },
      { kid: 'broken', kty: 'RSA', n: '?' },
      listed(rsa, { kid: 'encryption', use: 'enc' }),
      listed(rsa, { kid: 'wrapping', key_ops: ['wrapKey'] }),
      { ...listed(rsa, { kid: 'odd' }), key_ops: null },
      listed(first, { kid: 'same', alg: 'ES256' }),
      listed(rsa, { kid: 'same', alg: 'RS256' }),
      listed(ed, { kid: 'ed' }),
      listed(second, { kid: 'second' }),
    );
    await start();
    for (const [pair, kid, alg, expected] of [
      [first, 'same', 'ES256', 'awa'],
      [rsa, 'same', 'RS256', 'awa'],
      [rsa, 'same', 'PS256', 'token_invalid'],
      [ed, 'ed', 'EdDSA', 'awa'],
      [first, 'second', 'ES256', 'token_invalid'],
      [rsa, 'encryption', 'RS256', 'token_invalid'],
      [rsa, 'wrapping', 'RS256', 'token_invalid'],
      [rsa, 'odd', 'RS256', 'token_invalid'],
    ] as const) {
      expect(await verdict(pair, kid, alg), `${kid} ${alg}`).to.equal(expected);
    }
  });

  it('is searched by algorithm for a token that names no key', async () => {
    await start();
    for (const [pair, expected] of [
      [first, 'awa'],
      [second, 'awa'],
      [UNUSED, 'token_invalid'],
    ] as const) {
      expect(await verdict(pair)).to.equal(expected);
    }
  });
});
