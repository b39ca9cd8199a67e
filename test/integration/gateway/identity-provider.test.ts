import { expect } from 'chai';
import type { Logger } from 'moleculer';
import { loadSettings } from '../../../lib/config/settings.ts';
import { eventually } from '../../harness/eventually.ts';
import { TestGateway } from '../../harness/gateway.ts';
import { AUDIENCE, IdentityProvider, providerKey } from '../../harness/identity-provider.ts';

const MINUTE_MS = 60_000;

for (const [setting, environmentOf] of Object.entries<(issuer: string) => NodeJS.ProcessEnv>({
  JWT_JWKS_URL: (issuer) => ({ JWT_JWKS_URL: `${issuer}/jwks`, JWT_ISSUER: issuer, JWT_AUDIENCE: AUDIENCE }),
  OIDC_ISSUER: (issuer) => ({ OIDC_ISSUER: issuer }),
})) {
  describe(`gateway: tokens of an identity provider, with ${setting}`, function () {
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
    const userToken = async (user: string) => (await provider.signIn(user)).access_token;
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
        jwtSettings: loadSettings(environmentOf(provider.issuer)).jwt,
        clock: () => new Date(Date.now() + ahead_ms),
      });
      await gateway.start();
    });
    after(async () => {
      await gateway.stop();
      await provider.stop();
    });

    it('are unverifiable until the provider first answers, then accepted through key rotations and an outage of an hour', async () => {
      const rsa = await providerKey('RS256', 'first');
      const ec = await providerKey('ES256', 'second');
      const ed = await providerKey('EdDSA', 'third');

      expect(await userOrRefusal('eyJhbGciOiJSUzI1NiIsInR5cCI6ImF0K2p3dCJ9.e30.e30')).to.equal('service_unavailable');
      await readinessBecomes(503, 503, 'down');

      await provider.start([rsa]);
      ahead_ms += 5_000;
      await readinessBecomes(200, 'ready', 'up');
      const before = await provider.clientToken();
      expect(await userOrRefusal(before)).to.equal('payments');
      expect(await userOrRefusal(await userToken('awa'))).to.equal('awa');

      await provider.start([ec, rsa]);
      ahead_ms += 30_000;
      expect(await userOrRefusal(await provider.clientToken())).to.equal('payments');
      expect(await userOrRefusal(await userToken('awa'))).to.equal('awa');
      expect(await userOrRefusal(before)).to.equal('payments');

      await provider.start([ed]);
      ahead_ms += 30_000;
      const last = await userToken('awa');
      expect(await userOrRefusal(last)).to.equal('awa');
      expect(await userOrRefusal(await provider.clientToken())).to.equal('payments');
      expect(await userOrRefusal(before), 'a withdrawn key').to.equal('token_invalid');

      const notYetSent = await userToken('bih');
      const warnings: string[] = [];
      const { logger } = gateway.service<{ logger: Logger }>();
      logger.warn = (message: string) => void warnings.push(message);
      await provider.stop();
      for (let minutes = 10; minutes <= 60; minutes += 10) {
        ahead_ms += 10 * MINUTE_MS;
        await readinessBecomes(200, 'degraded', 'degraded');
        expect(await userOrRefusal(last), `${String(minutes)} minutes`).to.equal('awa');
      }
      expect(await userOrRefusal(notYetSent)).to.equal('bih');
      expect(warnings).to.deep.equal(['token key set cannot be fetched, the last one stays in use']);

      await provider.start([ed]);
      ahead_ms += 30_000;
      await readinessBecomes(200, 'ready', 'up');
      expect(warnings.slice(1)).to.deep.equal(['token key set fetched']);
    });
  });
}
