import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { fetchKeys, keySetUrlOf } from '../../../services/gateway/tokens/fetch-keys.ts';

type Answer = (response: ServerResponse) => void;

const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const KEY = { ...publicKey.export({ format: 'jwk' }), kid: 'first' };
const WELL_KNOWN = '/.well-known/openid-configuration';

describe('discovery of the keys of an issuer', () => {
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    asked.push(path);
    const answer = answers[path];
    if (answer === undefined) response.writeHead(404).end();
    else answer(response);
  });
  let origin: string;
  let asked: string[];
  let answers: Record<string, Answer>;

  const json =
    (value: unknown): Answer =>
    (response) =>
      response.end(JSON.stringify(value));
  /** Publishes the discovery document of an issuer. */
  const publish = (issuer: string, jwks_uri: unknown) => {
    answers[`${new URL(issuer).pathname.replace(/\/$/, '')}${WELL_KNOWN}`] = json({ issuer, jwks_uri });
  };
  /** Returns the key ids found, or the reason why there are none. */
  const found = (issuer: string) =>
    fetchKeys({ issuer }).then(
      (keys) => keys.map(({ kid }) => kid),
      ({ message }: Error) => message,
    );

  before(async () => {
    await once(server.listen(0, '127.0.0.1'), 'listening');
    origin = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  });
  after(() => {
    server.close();
    server.closeAllConnections();
  });
  beforeEach(() => {
    asked = [];
    answers = { '/jwks': json({ keys: [KEY] }) };
  });

  it('finds them at the jwks_uri of the document at the issuer, each time anew', async () => {
    const issuer = `${origin}/realms/groups`;
    publish(issuer, `${origin}/jwks`);
    expect(await found(issuer)).to.deep.equal(['first']);
    answers['/moved'] = json({ keys: [{ ...KEY, kid: 'second' }] });
    publish(issuer, `${origin}/moved`);
    expect(await found(issuer)).to.deep.equal(['second']);
    const document = `/realms/groups${WELL_KNOWN}`;
    expect(asked).to.deep.equal([document, '/jwks', document, '/moved']);
  });

  it('takes the final slash of an issuer from the URL of the document only', async () => {
    publish(`${origin}/`, `${origin}/jwks`);
    expect(await found(`${origin}/`)).to.deep.equal(['first']);
    expect(await found(origin)).to.equal(`the discovery document is of another issuer: "${origin}/"`);
  });

  it('shows what it could not fetch in the reason, without the query of the URL', async () => {
    expect(await found(origin)).to.equal(`${origin}${WELL_KNOWN}: status 404`);
    publish(origin, `${origin}/none?key=hunter2`);
    expect(await found(origin)).to.equal(`${origin}/none: status 404`);
  });

  for (const [what, broken, reason] of [
    ['a redirect', (response) => response.writeHead(302, { Location: '/elsewhere' }).end(), /: unexpected redirect$/],
    ['larger than 4 MiB', (response) => response.end(' '.repeat(4 * 1_024 * 1_024 + 1)), /: more than 4194304 bytes$/],
    ['no JSON', (response) => response.end('<html>'), / is not valid JSON$/],
    ['null', json(null), /another issuer: undefined$/],
    ['of an issuer with a long name', json({ issuer: 'x'.repeat(5_000) }), /another issuer: "x{199}$/],
    ['never complete', (response) => response.writeHead(200).write('{'), /: .*timeout$/],
  ] as [string, Answer, RegExp][]) {
    it(`is refused if the document is ${what}, and no keys are fetched`, async () => {
      answers[WELL_KNOWN] = broken;
      answers['/elsewhere'] = json({ issuer: origin, jwks_uri: `${origin}/jwks` });
      expect(await found(origin)).to.match(reason);
      expect(asked).to.deep.equal([WELL_KNOWN]);
    });
  }

  const SECURE = 'https://id.example';
  for (const [issuer, jwks_uri, verdict] of [
    [SECURE, 'https://keys.example/set', 'accepted'],
    ['http://localhost', 'http://localhost/jwks', 'accepted'],
    ['http://localhost', 'https://keys.example/set', 'accepted'],
    [SECURE, 'http://id.example/jwks', /^the discovery document of an https issuer has a jwks_uri with http$/],
    [SECURE, undefined, /no usable jwks_uri$/],
    [SECURE, '/jwks', /no usable jwks_uri$/],
    [SECURE, 'file:///etc/passwd', /no usable jwks_uri$/],
    [SECURE, 'https://me:hunter2@id.example/jwks', /no usable jwks_uri$/],
  ] as [string, unknown, RegExp | 'accepted'][]) {
    it(`of ${issuer}: the jwks_uri ${String(jwks_uri)} is ${verdict === 'accepted' ? 'used' : 'refused'}`, () => {
      const read = () => keySetUrlOf({ issuer, jwks_uri }, issuer);
      if (verdict === 'accepted') expect(read()).to.equal(jwks_uri);
      else expect(read).to.throw(verdict);
    });
  }
});
