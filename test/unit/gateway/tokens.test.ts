import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import { SignJWT } from 'jose';
import jwt from 'jsonwebtoken';
import type { JwtSettings } from '../../../lib/config/jwt-settings.ts';
import { StartupError } from '../../../lib/config/startup-error.ts';
import { problemCode } from '../../../lib/errors/problem.ts';
import { tokenVerifier } from '../../../services/gateway/tokens/verifier.ts';

const SECRET = 'a secret for tests that is long enough';
const NOW = new Date('2026-01-01T00:00:00Z');
const NOW_S = NOW.getTime() / 1_000;
const IN_A_MINUTE = NOW_S + 60;

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const ed = generateKeyPairSync('ed25519');
const pemOf = (key: KeyObject) => key.export({ type: 'spki', format: 'pem' }).toString();

const verdictOf = (verifying: Promise<{ user_id: string }>) =>
  verifying.then(
    ({ user_id }) => user_id,
    (error: unknown) => problemCode(error) ?? error,
  );

/** Returns the user of a token, or the code of its refusal. */
const verdict = (settings: JwtSettings, header: string | undefined) =>
  verdictOf(tokenVerifier(settings, () => NOW)(header));

/** Signs a token for Awa that expires in a minute, unless the claims say otherwise. */
function signed(claims = {}, key: jwt.Secret = SECRET, algorithm: jwt.Algorithm = 'HS256', members = {}): string {
  const header = { alg: algorithm, ...members };
  return jwt.sign({ sub: 'awa', exp: IN_A_MINUTE, ...claims }, key, { algorithm, header, noTimestamp: true });
}

describe('an access token', () => {
  const settings = { secret: SECRET };

  it('names the user, their name and their scopes', async () => {
    const callerOf = (claims: object) => tokenVerifier(settings, () => NOW)(`bearer ${signed(claims)}`);
    const awa = { user_id: 'awa', name: 'Awa', scopes: ['a', 'b'] };
    expect(await callerOf({ name: ' Awa ', scope: 'a b' })).to.deep.equal(awa);
    expect(await callerOf({ name: 7, scope: ['a'] })).to.deep.equal({ user_id: 'awa', name: null, scopes: [] });
  });

  it('is missing without a Bearer header', async () => {
    for (const header of [undefined, '', 'Bearer', 'Bearer ', 'Basic YTpi', 'Bearer a b']) {
      expect(await verdict(settings, header), header).to.equal('token_missing');
    }
  });

  it('expires at its exp, to the second, and must name a user of 1 to 128 storable characters', async () => {
    const long = 'u'.repeat(128);
    for (const [claims, expected] of [
      [{ exp: NOW_S }, 'token_expired'],
      [{ exp: NOW_S + 1 }, 'awa'],
      [{ exp: undefined }, 'token_invalid'],
      [{ nbf: IN_A_MINUTE }, 'token_invalid'],
      [{ sub: long }, long],
      [{ sub: `${long}u` }, 'token_invalid'],
      [{ sub: '' }, 'token_invalid'],
      [{ sub: 'a\u0000' }, 'token_invalid'],
      [{ sub: '\ud800' }, 'token_invalid'],
      [{ sub: undefined }, 'token_invalid'],
    ] as const) {
      const token = jwt.sign(JSON.stringify({ sub: 'awa', exp: IN_A_MINUTE, ...claims }), SECRET);
      expect(await verdict(settings, `Bearer ${token}`), JSON.stringify(claims)).to.equal(expected);
    }
  });

  it('expires also if it is signed with the second secret', async () => {
    const token = signed({ exp: NOW_S }, 'the second secret');
    expect(await verdict({ ...settings, secondSecret: 'the second secret' }, `Bearer ${token}`)).to.equal(
      'token_expired',
    );
  });

  const strict = { ...settings, issuer: 'https://id.example', audience: 'associations' };
  const typed = { ...settings, types: ['at+jwt', 'jwt'] };
  const ofType = (typ: unknown) => signed({}, SECRET, 'HS256', { typ });
  const byRsa = { publicKeyPem: pemOf(rsa.publicKey) };
  const byEc = { publicKeyPem: pemOf(ec.publicKey) };
  for (const [what, agreed, token, isValid] of [
    ['without a signature', settings, signed({}, '', 'none'), false],
    ['signed with another secret', settings, signed({}, 'another secret'), false],
    ['signed with another secret, even if it has expired', settings, signed({ exp: 1 }, 'another secret'), false],
    ['with an extension that it requires', settings, signed({}, SECRET, 'HS256', { crit: ['b64'], b64: true }), false],
    ['signed with another algorithm than HS256', settings, signed({}, SECRET, 'HS512'), false],
    ['signed with the configured algorithm', { ...settings, algorithms: ['HS512'] }, signed({}, SECRET, 'HS512'), true],
    ['signed with an algorithm that is not configured', { ...settings, algorithms: ['HS512'] }, signed(), false],
    ['signed with a private key if a secret is configured', settings, signed({}, rsa.privateKey, 'RS256'), false],
    [
      'with the configured issuer and audience',
      strict,
      signed({ iss: strict.issuer, aud: ['x', strict.audience] }),
      true,
    ],
    ['without the configured audience', strict, signed({ iss: strict.issuer }), false],
    ['of an accepted type', typed, ofType('at+jwt'), true],
    ['of an accepted type in its long form, in another case', typed, ofType('Application/AT+JWT'), true],
    ['of another type', typed, ofType('logout+jwt'), false],
    ['of a type that only begins like an accepted one', typed, ofType('at+jwt2'), false],
    ['of a type that is a list', typed, ofType(['at+jwt']), false],
    ['of a type that is null', typed, ofType(null), false],
    ['without a type if JWT is accepted', typed, ofType(undefined), true],
    ['without a type if JWT is not accepted', { ...settings, types: ['at+jwt'] }, ofType(undefined), false],
    ['with another issuer', strict, signed({ iss: 'x', aud: strict.audience }), false],
    ['signed with the RSA key by RS256', byRsa, signed({}, rsa.privateKey, 'RS256'), true],
    ['signed with the RSA key by PS512', byRsa, signed({}, rsa.privateKey, 'PS512'), true],
    ['signed with the EC key', byEc, signed({}, ec.privateKey, 'ES256'), true],
    ['signed with a key of another type', byRsa, signed({}, ec.privateKey, 'ES256'), false],
    ['signed by HMAC with the public key as secret', byRsa, signed({}, byRsa.publicKeyPem), false],
    [
      'signed by HMAC with the public key if a secret is configured too',
      { ...byRsa, ...settings },
      signed({}, byRsa.publicKeyPem),
      false,
    ],
    ['signed with the secret if a public key is configured too', { ...byRsa, ...settings }, signed(), true],
    ...[SECRET, 'the second secret'].map((secret) => [
      'signed with either of two secrets',
      { ...settings, secondSecret: 'the second secret' },
      signed({}, secret),
      true,
    ]),
    [
      'signed with neither of two secrets',
      { ...settings, secondSecret: 'the second secret' },
      signed({}, 'a third secret'),
      false,
    ],
    ...[rsa, ec].map(({ privateKey }) => [
      'signed with either of two private keys',
      { ...byRsa, secondPublicKeyPem: byEc.publicKeyPem },
      signed({}, privateKey, privateKey === rsa.privateKey ? 'RS256' : 'ES256'),
      true,
    ]),
    [
      'signed by HMAC with the second public key as secret',
      { ...settings, ...byRsa, secondPublicKeyPem: byEc.publicKeyPem },
      signed({}, byEc.publicKeyPem),
      false,
    ],
    [
      'signed with an algorithm that is not configured for the key',
      { ...byRsa, algorithms: ['RS512'] },
      signed({}, rsa.privateKey, 'RS256'),
      false,
    ],
  ] as [string, JwtSettings, string, boolean][]) {
    it(`is ${isValid ? 'valid' : 'invalid'} ${what}`, async () => {
      expect(await verdict(agreed, `Bearer ${token}`)).to.equal(isValid ? 'awa' : 'token_invalid');
    });
  }

  it('is verified with an Ed25519 key under both names of the algorithm', async () => {
    for (const alg of ['EdDSA', 'Ed25519']) {
      const claims = new SignJWT({ sub: 'awa', exp: IN_A_MINUTE });
      const token = await claims.setProtectedHeader({ alg }).sign(ed.privateKey);
      expect(await verdict({ publicKeyPem: pemOf(ed.publicKey) }, `Bearer ${token}`), alg).to.equal('awa');
    }
  });

  it('cannot be verified with a key that no algorithm uses: such a key is refused at the start', () => {
    const { publicKey } = generateKeyPairSync('x25519');
    expect(() => tokenVerifier({ publicKeyPem: pemOf(publicKey) }, () => NOW)).to.throw(StartupError);
  });

  it('is refused as missing or invalid for every malformed header', async () => {
    const parts = fc.base64String().map((text) => `Bearer ${text}.${text}.${text}`);
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.string(), parts), async (header) => {
        expect(await verdict(settings, header)).to.be.oneOf(['token_missing', 'token_invalid']);
      }),
    );
  });
});

describe('an access token that was verified before', () => {
  let now_s: number;
  const verify = tokenVerifier({ secret: SECRET }, () => new Date(now_s * 1_000));
  const token = signed({ nbf: NOW_S });
  const again = (text = token) => verdictOf(verify(`Bearer ${text}`));

  beforeEach(async () => {
    now_s = NOW_S;
    expect(await again()).to.equal('awa');
  });

  it('still expires at its exp, and is invalid before its nbf, to the second', async () => {
    for (const [at_s, expected] of [
      [IN_A_MINUTE - 1, 'awa'],
      [IN_A_MINUTE, 'token_expired'],
      [NOW_S - 1, 'token_invalid'],
    ] as const) {
      now_s = at_s;
      expect(await again()).to.equal(expected);
    }
  });

  it('does not make a changed or truncated token valid', async () => {
    const [header = '', claims = '', signature = ''] = token.split('.');
    const asAda = Buffer.from(claims, 'base64url').toString().replace('awa', 'ada');
    const forged = [header, Buffer.from(asAda).toString('base64url'), signature].join('.');
    for (const other of [forged, forged, token.slice(0, -1)]) expect(await again(other)).to.equal('token_invalid');
  });

  it('is verified each time if it is too long for the cache', async () => {
    const long = signed({ more: 'x'.repeat(4_000) });
    expect(await again(long)).to.equal('awa');
    now_s = IN_A_MINUTE;
    expect(await again(long)).to.equal('token_expired');
  });
});
