import { expect } from 'chai';
import { useGateway, type Reply } from '../harness/gateway.ts';
import {
  AUDIENCE,
  claims,
  expiredTokens,
  forgeries,
  hmac,
  ISSUER,
  misplacedTokens,
  now_s,
  pemOf,
  rsa,
  SECRET,
  uselessClaims,
  valid,
} from './tokens/forgeries.ts';

const HS256 = { alg: 'HS256' };

describe('a token', () => {
  // A gateway with a secret and a public key is the one that could confuse them.
  const jwtSettings = { secret: SECRET, publicKeyPem: pemOf(rsa.publicKey), issuer: ISSUER, audience: AUDIENCE };
  const gateway = useGateway({ jwtSettings });

  const send = (Authorization: string) => gateway.send('GET /wallets/my', { token: false, headers: { Authorization } });

  /** Sends each header, and expects that none reaches a service. */
  async function expectRefused(code: string, sent: [what: string, header: string][]): Promise<void> {
    const accepted: string[] = [];
    for (const [what, header] of sent) {
      const reply = await send(header);
      if (!isRefusal(reply, code)) accepted.push(`${what}: ${String(reply.status)} ${reply.text}`);
    }
    expect(accepted, accepted.join('\n')).to.deep.equal([]);
    expect(gateway.seen).to.equal(undefined);
  }

  const asBearer = (tokens: [string, string][]) =>
    tokens.map(([what, token]): [string, string] => [what, `Bearer ${token}`]);

  it('of the issuer is accepted', async () => {
    for (const token of [
      valid(),
      hmac(HS256, claims({ exp: now_s() + 60.5 })),
      hmac(HS256, claims({ aud: ['x', AUDIENCE], nbf: now_s() - 1.5, iat: 0 })),
      hmac(HS256, claims({ pad: 'x'.repeat(9_000) })),
    ]) {
      expect((await send(`Bearer ${token}`)).status).to.equal(200);
    }
  });

  it('that the issuer did not sign is refused', async () => {
    const tokens = forgeries();
    expect(tokens.length).to.be.at.least(150);
    await expectRefused('token_invalid', asBearer(tokens));
  });

  it('whose claims have wrong types, or name another issuer or audience, is refused', async () => {
    await expectRefused('token_invalid', asBearer(uselessClaims()));
  });

  it('that has expired is refused, however its time is written', async () => {
    await expectRefused('token_expired', asBearer(expiredTokens()));
  });

  it('counts only as the one Bearer token of the header Authorization', async () => {
    await expectRefused('token_missing', misplacedTokens());
    const token = valid();
    for (const [query, headers] of [
      [`?access_token=${token}`, {}],
      ['', { Cookie: `access_token=${token}; Authorization=Bearer ${token}` }],
      ['', { 'Proxy-Authorization': `Bearer ${token}` }],
      ['', { 'X-Forwarded-Access-Token': token }],
    ] as [string, Record<string, string>][]) {
      const reply = await gateway.send(`GET /wallets/my${query}`, { token: false, headers });
      expect(isRefusal(reply, 'token_missing'), reply.text).to.equal(true);
    }
  });

  it('with duplicate claims names the user of the last one, as JSON does', async () => {
    const { exp, ...others } = claims() as Record<string, unknown>;
    const payload = `{"sub":"awa","sub":"binta","exp":1,"exp":${String(exp)},"iss":"${String(others.iss)}","aud":"${String(others.aud)}"}`;
    await send(`Bearer ${hmac(HS256, payload)}`);
    expect(gateway.seen?.ctx.meta).to.have.nested.property('caller.user_id', 'binta');
  });
});

/** Whether it is a problem document with this code that says how to authenticate. */
function isRefusal({ status, headers, body }: Reply, code: string): boolean {
  const isProblem = headers['content-type'] === 'application/problem+json';
  return isProblem && status === 401 && body.code === code && headers['www-authenticate'] !== undefined;
}
