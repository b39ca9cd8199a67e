import { expect } from 'chai';
import type { Logger } from 'moleculer';
import { eventually } from '../../harness/eventually.ts';
import { TestGateway } from '../../harness/gateway.ts';
import { AUDIENCE, IdentityProvider, providerKey } from '../../harness/identity-provider.ts';

describe('gateway: tokens of an identity provider', function () {
  this.timeout(60_000);
  let provider: IdentityProvider;
  let gateway: TestGateway;
  /** How far the gateway's clock is ahead of the system clock. */
  let ahead_ms = 0;

  /** Sends a request with the token, and returns the user that the gateway sees, or the code of its refusal. */
  const userOrRefusal = async (token: string) => {
    const { status, body } = await gateway.send('GET /associations/my', { token });
    return status === 200 ? gateway.seen?.ctx.meta.caller?.user_id : body.code;
  };
  /** Waits for this status of the readiness page, state of the gateway and state of `token_keys`. */
  const readinessBecomes = (...expected: unknown[]) =>
    eventually(async () => {
      const { status, body } = await gateway.send('GET //health/ready', { token: false });
      const { token_keys } = body.services as Record<string, string>;
      expect([status, body.status, token_keys]).to.deep.equal(expected);
    }, 20_000);

  before(async () => {
    provider = await IdentityProvider.at();
    gateway = new TestGateway({
      services: ['membership', 'contribution', 'treasury', 'governance'],
      jwtSettings: { jwksUrl: `${provider.issuer}/jwks`, issuer: provider.issuer, audience: AUDIENCE },
      clock: () => new Date(Date.now() + ahead_ms),
    });
    await gateway.start();
  });
  after(async () => {
    await gateway.stop();
    await provider.stop();
  });

  it('are unverifiable until the provider first answers, then accepted through key rotations and while it is unavailable', async () => {
    const rsa = await providerKey('RS256', 'first');
    const ec = await providerKey('ES256', 'second');
    const ed = await providerKey('EdDSA', 'third');

    expect(await userOrRefusal('eyJhbGciOiJSUzI1NiJ9.e30.e30')).to.equal('service_unavailable');
    await readinessBecomes(503, 503, 'down');

    await provider.start('RS256', rsa);
    ahead_ms += 5_000;
    await readinessBecomes(200, 'ready', 'up');
    const before = await provider.clientToken();
    expect(await userOrRefusal(before)).to.equal('payments');
    expect(await userOrRefusal(await provider.userToken('awa'))).to.equal('awa');

    await provider.start('ES256', ec, rsa);
    ahead_ms += 30_000;
    expect(await userOrRefusal(await provider.clientToken())).to.equal('payments');
    expect(await userOrRefusal(await provider.userToken('awa'))).to.equal('awa');
    expect(await userOrRefusal(before)).to.equal('payments');

    await provider.start('EdDSA', ed);
    ahead_ms += 30_000;
    const last = await provider.userToken('awa');
    expect(await userOrRefusal(last)).to.equal('awa');
    expect(await userOrRefusal(await provider.clientToken())).to.equal('payments');
    expect(await userOrRefusal(before), 'a withdrawn key').to.equal('token_invalid');

    const warnings: string[] = [];
    const { logger } = gateway.service<{ logger: Logger }>();
    logger.warn = (message: string) => void warnings.push(message);
    await provider.stop();
    ahead_ms += 10 * 60_000;
    await readinessBecomes(200, 'degraded', 'degraded');
    expect(await userOrRefusal(last)).to.equal('awa');
    expect(warnings).to.deep.equal(['token key set cannot be fetched, the last one stays in use']);

    await provider.start('EdDSA', ed);
    ahead_ms += 30_000;
    await readinessBecomes(200, 'ready', 'up');
    expect(warnings.slice(1)).to.deep.equal(['token key set fetched']);
  });
});
