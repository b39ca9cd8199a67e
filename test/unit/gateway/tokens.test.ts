import { generateKeyPairSync } from 'node:crypto';
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
const pemOf = (key: typeof rsa.publicKey) => key.export({ type: 'spki', format: 'pem' });

/** The caller of a token, or the code of its refusal. */
async function verdict(settings: JwtSettings, header: string | undefined): Promise<unknown> {
  try {
    return await tokenVerifier(settings, () => NOW)(header);
  } catch (error) {
    return problemCode(error) ?? error;
  }
}

function bearer(claims: object, key: jwt.Secret = SECRET, options: jwt.SignOptions = {}): string {
  return `Bearer ${jwt.sign({ sub: 'awa', exp: IN_A_MINUTE, ...claims }, key, options)}`;
}

describe('an access token', () => {
  const settings = { secret: SECRET };

  it('says who calls', async () => {
    expect(await verdict(settings, bearer({ name: ' Awa ', scope: 'a b' }))).to.deep.equal({
      user_id: 'awa',
      name: 'Awa',
      scopes: ['a', 'b'],
    });
    expect(await verdict(settings, bearer({}).replace('Bearer', 'bearer'))).to.include({ user_id: 'awa', name: null });
    expect(await verdict(settings, bearer({ name: 7, scope: ['a'] }))).to.deep.include({ name: null, scopes: [] });
  });

  it('is missing without a Bearer header', async () => {
    for (const header of [undefined, '', 'Bearer', 'Bearer ', 'Basic YTpi', 'Bearer a b']) {
      expect(await verdict(settings, header), header).to.equal('token_missing');
    }
  });

  it('ends with its exp, to the second, and needs one', async () => {
    expect(await verdict(settings, bearer({ exp: NOW.getTime() / 1_000 }))).to.equal('token_expired');
    expect(await verdict(settings, bearer({ exp: NOW.getTime() / 1_000 + 1 }))).to.include({ user_id: 'awa' });
    expect(await verdict(settings, `Bearer ${jwt.sign({ sub: 'awa' }, SECRET)}`)).to.equal('token_invalid');
    expect(await verdict(settings, bearer({ nbf: IN_A_MINUTE }))).to.equal('token_invalid');
  });

  it('names a user of 1 to 128 characters that can be stored', async () => {
    const withSub = (sub: unknown) => verdict(settings, `Bearer ${jwt.sign({ sub, exp: IN_A_MINUTE }, SECRET, LAX)}`);
    const LAX = { allowInvalidAsymmetricKeyTypes: true };
    expect(await withSub('u'.repeat(128))).to.include({ user_id: 'u'.repeat(128) });
    for (const sub of ['', 'u'.repeat(129), 'a\u0000', '\ud800']) {
      expect(await withSub(sub), sub).to.equal('token_invalid');
    }
    expect(await verdict(settings, `Bearer ${jwt.sign({ exp: IN_A_MINUTE }, SECRET)}`)).to.equal('token_invalid');
  });

  it('is worth nothing unsigned, forged, or signed in another way than agreed', async () => {
    expect(await verdict(settings, bearer({}, '', { algorithm: 'none' }))).to.equal('token_invalid');
    expect(await verdict(settings, bearer({}, 'another secret'))).to.equal('token_invalid');
    expect(await verdict(settings, bearer({}, SECRET, { algorithm: 'HS512' }))).to.equal('token_invalid');
    expect(await verdict(settings, bearer({}, rsa.privateKey, { algorithm: 'RS256' }))).to.equal('token_invalid');
    const agreed = { ...settings, algorithms: ['HS512' as const] };
    expect(await verdict(agreed, bearer({}, SECRET, { algorithm: 'HS512' }))).to.include({ user_id: 'awa' });
    expect(await verdict(agreed, bearer({}))).to.equal('token_invalid');
  });

  it('must come from the issuer and be for the audience that are set', async () => {
    const strict = { ...settings, issuer: 'https://id.example', audience: 'associations' };
    expect(await verdict(strict, bearer({ iss: 'https://id.example', aud: ['x', 'associations'] }))).to.include({
      user_id: 'awa',
    });
    expect(await verdict(strict, bearer({ iss: 'https://id.example' }))).to.equal('token_invalid');
    expect(await verdict(strict, bearer({ iss: 'x', aud: 'associations' }))).to.equal('token_invalid');
  });

  it('is verified with a public key by the algorithms of its type, never by HMAC', async () => {
    const publicKeyPem = pemOf(rsa.publicKey).toString();
    const byKey = { publicKeyPem };
    expect(await verdict(byKey, bearer({}, rsa.privateKey, { algorithm: 'RS256' }))).to.include({ user_id: 'awa' });
    expect(await verdict(byKey, bearer({}, rsa.privateKey, { algorithm: 'PS512' }))).to.include({ user_id: 'awa' });
    expect(await verdict(byKey, bearer({}, ec.privateKey, { algorithm: 'ES256' }))).to.equal('token_invalid');
    // The classic: the public key, which is no secret, taken for an HMAC secret.
    expect(await verdict(byKey, bearer({}, publicKeyPem, { algorithm: 'HS256' }))).to.equal('token_invalid');
    const both = { ...byKey, secret: SECRET };
    expect(await verdict(both, bearer({}, publicKeyPem, { algorithm: 'HS256' }))).to.equal('token_invalid');
    expect(await verdict(both, bearer({}))).to.include({ user_id: 'awa' });
    const narrowed = { publicKeyPem, algorithms: ['RS512' as const] };
    expect(await verdict(narrowed, bearer({}, rsa.privateKey, { algorithm: 'RS256' }))).to.equal('token_invalid');
    const byCurve = { publicKeyPem: pemOf(ec.publicKey).toString() };
    expect(await verdict(byCurve, bearer({}, ec.privateKey, { algorithm: 'ES256' }))).to.include({ user_id: 'awa' });
  });

  it('is verified with an Ed25519 key, under both names of its algorithm', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    const byKey = { publicKeyPem: pemOf(publicKey).toString() };
    for (const alg of ['EdDSA', 'Ed25519']) {
      const token = await new SignJWT({ sub: 'awa', exp: IN_A_MINUTE }).setProtectedHeader({ alg }).sign(privateKey);
      expect(await verdict(byKey, `Bearer ${token}`), alg).to.include({ user_id: 'awa' });
    }
  });

  it('cannot be verified with a key that no algorithm uses, which stops the start', () => {
    const { publicKey } = generateKeyPairSync('x25519');
    const settings = { publicKeyPem: pemOf(publicKey).toString() };
    expect(() => tokenVerifier(settings, () => NOW)).to.throw(StartupError);
  });

  it('is refused, and nothing else, whatever the header holds', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.string(),
          fc.base64String().map((text) => `Bearer ${text}.${text}.${text}`),
        ),
        async (header) => {
          expect(await verdict(settings, header)).to.be.oneOf(['token_missing', 'token_invalid']);
        },
      ),
    );
  });
});

describe('an access token that was verified before', () => {
  let now_s: number;
  const verify = tokenVerifier({ secret: SECRET }, () => new Date(now_s * 1_000));
  const token = jwt.sign({ sub: 'awa', scope: 'a b', nbf: NOW_S, exp: IN_A_MINUTE }, SECRET);
  const verdict = (text = token) => verify(`Bearer ${text}`).catch((error: unknown) => problemCode(error));

  beforeEach(() => (now_s = NOW_S));

  it('says the same again', async () => {
    const caller = { user_id: 'awa', name: null, scopes: ['a', 'b'] };
    expect([await verdict(), await verdict()]).to.deep.equal([caller, caller]);
  });

  it('still ends with its exp, and begins with its nbf, to the second', async () => {
    await verdict();
    now_s = IN_A_MINUTE - 1;
    expect(await verdict()).to.include({ user_id: 'awa' });
    now_s = IN_A_MINUTE;
    expect(await verdict()).to.equal('token_expired');
    now_s = NOW_S - 1;
    expect(await verdict()).to.equal('token_invalid');
  });

  it('speaks for no other one', async () => {
    await verdict();
    const [header = '', claims = '', signature = ''] = token.split('.');
    const asAda = Buffer.from(claims, 'base64url').toString().replace('awa', 'ada');
    const forged = [header, Buffer.from(asAda).toString('base64url'), signature].join('.');
    expect(await verdict(forged)).to.equal('token_invalid');
    expect(await verdict(forged)).to.equal('token_invalid');
    expect(await verdict(token.slice(0, -1))).to.equal('token_invalid');
  });

  it('is verified each time if it is too long to be remembered', async () => {
    const long = jwt.sign({ sub: 'awa', exp: IN_A_MINUTE, more: 'x'.repeat(4_000) }, SECRET);
    expect(await verdict(long)).to.include({ user_id: 'awa' });
    now_s = IN_A_MINUTE;
    expect(await verdict(long)).to.equal('token_expired');
  });
});
