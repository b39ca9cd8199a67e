import { createHmac, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';

/** The keys of the issuer: what the gateway under attack is configured with. */
export const SECRET = 'the secret of the issuer, long enough';
export const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const attacker = generateKeyPairSync('rsa', { modulusLength: 2048 });
const attackerEc = generateKeyPairSync('ec', { namedCurve: 'P-256' });
export const ISSUER = 'https://id.example';
export const AUDIENCE = 'associations';

export const pemOf = (key: KeyObject): string => key.export({ type: 'spki', format: 'pem' }).toString();
const publicPem = pemOf(rsa.publicKey);
const publicJwk = rsa.publicKey.export({ format: 'jwk' }) as { n: string };

const FAR_S = 60;
export const now_s = (): number => Math.floor(Date.now() / 1_000);
const encoded = (value: unknown) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');

/** The claims of a valid token. */
export const claims = (more: object = {}): object => ({
  ...{ sub: 'awa', iss: ISSUER, aud: AUDIENCE, exp: now_s() + FAR_S },
  ...more,
});

type Key = string | Buffer;

/** Signs by HMAC; a header or payload that is a text is taken as it is. */
export function hmac(header: unknown, payload: unknown = claims(), key: Key = SECRET, hash = 'sha256'): string {
  const input = `${encoded(header)}.${encoded(payload)}`;
  return `${input}.${createHmac(hash, key).update(input).digest('base64url')}`;
}

const HS256 = { alg: 'HS256', typ: 'JWT' };

function byPrivateKey(header: object, key: KeyObject): string {
  const input = `${encoded(header)}.${encoded(claims())}`;
  const dsaEncoding = 'ieee-p1363';
  return `${input}.${sign('sha256', Buffer.from(input), { key, dsaEncoding }).toString('base64url')}`;
}

/** A token that the issuer signed with its secret. */
export const valid = (): string => hmac(HS256);

type Forgery = [what: string, token: string];

/** Returns tokens that the issuer did not sign. */
export function forgeries(): Forgery[] {
  return [...algorithms(), ...confusedKeys(), ...headers(), ...signatures(), ...structures()];
}

/** The algorithm is none, unknown, or another one than the signature's. */
function algorithms(): Forgery[] {
  const unsigned = (alg: unknown) => `${encoded({ alg, typ: 'JWT' })}.${encoded(claims())}.`;
  const none = ['none', 'None', 'NONE', 'nOnE', 'none ', '', 'null', null, 0, false, [], ['none'], ['HS256'], {}];
  const others = ['HS256 ', ' HS256', 'hs256', 'HS\u0032\u0035\u0036\u200b', 'HS1', 'A128KW', 'dir', 'RSA-OAEP-256'];
  const asymmetric = ['RS256', 'PS256', 'ES256', 'ES384', 'EdDSA', 'Ed25519'];
  return [
    ...none.map((alg): Forgery => [`alg ${JSON.stringify(alg)}, no signature`, unsigned(alg)]),
    ...none.map((alg): Forgery => [`alg ${JSON.stringify(alg)}, signed with the secret`, hmac({ alg })]),
    ...others.map((alg): Forgery => [`alg ${JSON.stringify(alg)}`, hmac({ alg })]),
    ...asymmetric.map((alg): Forgery => [`alg ${alg}, an HMAC`, hmac({ alg })]),
    ...asymmetric.map((alg): Forgery => [`alg ${alg}, zeros`, `${unsigned(alg)}${encoded('\0'.repeat(64))}`]),
    ['no alg', hmac({ typ: 'JWT' })],
    ['alg HS256, an HMAC of SHA-512', hmac(HS256, claims(), SECRET, 'sha512')],
  ];
}

/** An HMAC with a key that the attacker knows: the public key in all forms, or a key that a mistake would use. */
function confusedKeys(): Forgery[] {
  const known: [string, Key][] = [
    ['the PEM', publicPem],
    ['the PEM without its last line break', publicPem.trimEnd()],
    ['the PEM with CRLF', publicPem.replaceAll('\n', '\r\n')],
    ['the PEM in one line', publicPem.replaceAll('\n', '')],
    ['the base64 of the PEM', publicPem.replace(/-----[^-]+-----|\s/g, '')],
    ['the PEM of PKCS #1', rsa.publicKey.export({ type: 'pkcs1', format: 'pem' }).toString()],
    ['the DER', rsa.publicKey.export({ type: 'spki', format: 'der' })],
    ['the DER of PKCS #1', rsa.publicKey.export({ type: 'pkcs1', format: 'der' })],
    ['the JWK', JSON.stringify(publicJwk)],
    ['the modulus', Buffer.from(publicJwk.n, 'base64url')],
    ['the modulus in base64url', publicJwk.n],
    ...['', '\0', '\0'.repeat(32), 'secret', 'null', 'undefined', '[object Object]', 'HS256', SECRET.toUpperCase()].map(
      (key): [string, Key] => [JSON.stringify(key), key],
    ),
  ];
  return known.flatMap(([what, key]): Forgery[] => [
    [`HS256 with ${what}`, hmac(HS256, claims(), key)],
    [`RS256 in name, HMAC with ${what}`, hmac({ alg: 'RS256' }, claims(), key)],
  ]);
}

/** The header tells where to find the key, or what to do with it. */
function headers(): Forgery[] {
  const jwk = attacker.publicKey.export({ format: 'jwk' });
  const ecJwk = attackerEc.publicKey.export({ format: 'jwk' });
  const url = 'https://attacker.example/keys';
  const kids = [
    '../../../../dev/null',
    '/dev/null',
    "' UNION SELECT 'key",
    '$(id)',
    url,
    '__proto__',
    'k'.repeat(9_000),
  ];
  return [
    ...kids.map((kid): Forgery => [`kid ${kid.slice(0, 30)}, empty key`, hmac({ ...HS256, kid }, claims(), '')]),
    ...[0, null, ['a'], {}, true].flatMap((kid): Forgery[] => [
      [`kid ${JSON.stringify(kid)}, empty key`, hmac({ ...HS256, kid }, claims(), '')],
      [`kid ${JSON.stringify(kid)}, the attacker's key`, byPrivateKey({ alg: 'RS256', kid }, attacker.privateKey)],
    ]),
    ['the attacker’s key', byPrivateKey({ alg: 'RS256' }, attacker.privateKey)],
    ['the attacker’s key as jwk', byPrivateKey({ alg: 'RS256', jwk }, attacker.privateKey)],
    ['the attacker’s EC key as jwk', byPrivateKey({ alg: 'ES256', jwk: ecJwk }, attackerEc.privateKey)],
    ['an HMAC key as jwk', hmac({ ...HS256, jwk: { kty: 'oct', k: encoded('mine') } }, claims(), 'mine')],
    ...['jku', 'x5u', 'iss'].map((name): Forgery => [
      name,
      byPrivateKey({ alg: 'RS256', [name]: url }, attacker.privateKey),
    ]),
    ['x5c', byPrivateKey({ alg: 'RS256', x5c: [encoded('certificate')] }, attacker.privateKey)],
    // An extension that the verifier does not know must be refused, although the issuer signed it (RFC 7515, 4.1.11).
    ...[['exp'], ['b64'], ['http://example/ext'], [], 'exp', null, {}].map((crit): Forgery => [
      `crit ${JSON.stringify(crit)}`,
      hmac({ ...HS256, crit, b64: true, exp: 1 }),
    ]),
  ];
}

/** The signature of a valid token, changed. */
function signatures(): Forgery[] {
  const [header = '', payload = '', signature = ''] = valid().split('.');
  const withSignature = (changed: string) => `${header}.${payload}.${changed}`;
  const changedPayload = encoded(claims({ sub: 'president' }));
  const first = signature.startsWith('A') ? 'B' : 'A';
  return [
    ['another payload', `${header}.${changedPayload}.${signature}`],
    ['another header', `${encoded({ ...HS256, kid: '1' })}.${payload}.${signature}`],
    ['an empty signature', withSignature('')],
    ['a signature cut in half', withSignature(signature.slice(0, 20))],
    ['a signature without its last character', withSignature(signature.slice(0, -1))],
    ['a signature with one changed character', withSignature(first + signature.slice(1))],
    ['a signature twice', withSignature(signature + signature)],
    ['a padded signature', withSignature(`${signature}=`)],
    ['a padded payload', `${header}.${payload}=.${signature}`],
    ['a padded header', `${header}==.${payload}.${signature}`],
    ['a signature in hex', withSignature(Buffer.from(signature, 'base64url').toString('hex'))],
    ['a signature with a character of no alphabet', withSignature(`${signature.slice(0, 5)}*${signature.slice(5)}`)],
    ['the signature of another token', withSignature(hmac(HS256, claims({ sub: 'b' })).split('.')[2]!)],
  ];
}

/** Something else than three parts with a JSON object each in the first two. */
function structures(): Forgery[] {
  const [header = '', payload = '', signature = ''] = valid().split('.');
  const general = {
    payload,
    signatures: [
      { protected: header, signature },
      { protected: header, signature },
    ],
  };
  const bad = ['', 'x', '[]', 'null', '7', '"awa"', '{', '{"sub":"awa"', '{}', '\ufeff{}', '{"sub":"awa"}x'];
  return [
    ...['.', '..', '...', header, `${header}.${payload}`, `${header}.${payload}.${signature}.`].map(
      (token): Forgery => [`the parts ${token.replaceAll(/\w/g, '').slice(0, 9)}`, token],
    ),
    ['two signatures', `${header}.${payload}.${signature}.${signature}`],
    ['a JWE of five parts', `${encoded({ alg: 'dir', enc: 'A256GCM' })}..${payload}.${payload}.${signature}`],
    ['JSON serialization with several signatures', encoded(general)],
    ['flattened JSON serialization', encoded({ payload, protected: header, signature })],
    ['a token within a token', hmac({ ...HS256, cty: 'JWT' }, valid())],
    ['a token within a token as a text', hmac({ ...HS256, cty: 'JWT' }, JSON.stringify(valid()))],
    ...bad.map((text): Forgery => [`the payload ${JSON.stringify(text)}`, hmac(HS256, text)]),
    ...bad.map((text): Forgery => [`the header ${JSON.stringify(text)}`, hmac(text)]),
    ['duplicate members in the header', hmac('{"alg":"HS256","alg":"none"}')],
    ['duplicate members in the header, no signature', `${encoded('{"alg":"HS256","alg":"none"}')}.${payload}.`],
    ['a payload of 12 KB and another key', hmac(HS256, claims({ pad: 'x'.repeat(9_000) }), 'another key')],
  ];
}

/** Returns tokens that the issuer signed, but with claims of which none names a user now. */
export function uselessClaims(): Forgery[] {
  const raw = (name: string, value: string) => {
    const others = Object.entries(claims()).filter(([each]) => each !== name);
    const members = others.map(([each, known]) => `${JSON.stringify(each)}:${JSON.stringify(known)}`);
    return hmac(HS256, `{${[...members, `${JSON.stringify(name)}:${value}`].join(',')}}`);
  };
  const without = (name: string) => hmac(HS256, claims({ [name]: undefined }));
  const wrongTimes = ['"9999999999"', 'null', 'true', '[9999999999]', '{}', '""'];
  const wrongTexts = ['null', '7', 'true', '{}', '""'];
  const times = ['exp', 'nbf', 'iat'].flatMap((name) =>
    wrongTimes.map((value): Forgery => [`${name} ${value}`, raw(name, value)]),
  );
  return [
    ...times,
    ['exp beyond all numbers', raw('exp', '1e400')],
    ['nbf beyond all numbers', raw('nbf', '1e400')],
    ...['exp', 'sub', 'iss', 'aud'].map((name): Forgery => [`no ${name}`, without(name)]),
    ['nbf in an hour', raw('nbf', String(now_s() + 3_600))],
    ['nbf in an hour, as a float', raw('nbf', String(now_s() + 3_600.5))],
    ['nbf beyond all time', raw('nbf', '1e300')],
    ...[...wrongTexts, '["awa"]', `"${'u'.repeat(129)}"`, '"a\\u0000"', '"\\ud800"', '"\\udc00a"'].map(
      (value): Forgery => [`sub ${value.slice(0, 20)}`, raw('sub', value)],
    ),
    ...[...wrongTexts, `["${ISSUER}"]`, `"${ISSUER}/"`, `"${ISSUER.toUpperCase()}"`, `" ${ISSUER}"`].map(
      (value): Forgery => [`iss ${value}`, raw('iss', value)],
    ),
    ...[
      ...wrongTexts,
      '[]',
      '[""]',
      '["other"]',
      `[["${AUDIENCE}"]]`,
      `"${AUDIENCE} "`,
      `"${AUDIENCE.toUpperCase()}"`,
    ].map((value): Forgery => [`aud ${value}`, raw('aud', value)]),
  ];
}

/** Returns tokens that the issuer signed and that have expired. */
export function expiredTokens(): Forgery[] {
  const times = [0, -1, -1e300, 1, 0.5, now_s() - 1, now_s() - 0.5];
  return times.map((exp) => [`exp ${String(exp)}`, hmac(HS256, claims({ exp }))]);
}

/** Returns headers that contain a valid token, but not as the one Bearer token. */
export function misplacedTokens(): Forgery[] {
  const token = valid();
  return [
    `Basic ${token}`,
    `Token ${token}`,
    token,
    `Bearer${token}`,
    `Bearer ${token} ${token}`,
    `Bearer ${token}, Bearer ${token}`,
    `Bearer token=${token} x`,
    'Bearer',
  ].map((header) => [header.replaceAll(token, '<token>'), header]);
}
