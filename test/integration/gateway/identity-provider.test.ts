import { expect } from 'chai';
import type { Logger } from 'moleculer';
import { implement } from '../../../lib/service/implement.ts';
import * as contribution from '../../../lib/contracts/contribution.ts';
import * as governance from '../../../lib/contracts/governance.ts';
import * as membership from '../../../lib/contracts/membership.ts';
import * as treasury from '../../../lib/contracts/treasury.ts';
import { eventually } from '../../harness/eventually.ts';
import { healthy, TestGateway } from '../../harness/gateway.ts';
import { AUDIENCE, IdentityProvider, providerKey } from '../../harness/identity-provider.ts';

const mine = implement(membership.myAssociations as Parameters<typeof implement>[0], (_input, { user_id }) =>
  Promise.resolve({ data: [{ user_id }], next_cursor: null }),
);

describe('gateway: tokens of an identity provider', function () {
  this.timeout(60_000);
  let provider: IdentityProvider;
  let gateway: TestGateway;
  /** How far the gateway's clock is ahead. */
  let ahead_ms = 0;

  const asks = async (token: string) => {
    const reply = await gateway.send('GET /associations/my', {
      token: false,
      headers: { Authorization: `Bearer ${token}` },
    });
    return reply.status === 200 ? (reply.body.data as { user_id: string }[])[0]?.user_id : reply.body.code;
  };
  const ready = async () => {
    const { status, body } = await gateway.send('GET //health/ready', { token: false });
    return [status, body.status, (body.services as Record<string, string>).token_keys];
  };

  before(async () => {
    provider = await IdentityProvider.at();
    gateway = new TestGateway({
      services: [
        { name: 'membership', actions: { health: healthy(membership.health), my_associations: mine } },
        { name: 'contribution', actions: { health: healthy(contribution.health) } },
        { name: 'treasury', actions: { health: healthy(treasury.health) } },
        { name: 'governance', actions: { health: healthy(governance.health) } },
      ],
      jwtSettings: { jwksUrl: provider.jwksUrl, issuer: provider.issuer, audience: AUDIENCE },
      clock: () => new Date(Date.now() + ahead_ms),
    });
    await gateway.start();
  });
  after(async () => {
    await gateway.stop();
    await provider.stop();
  });

  it('wait for a provider that is not there yet, are taken through rotations, and while it is away', async () => {
    const rsa = await providerKey('RS256', 'first');
    const ec = await providerKey('ES256', 'second');
    const ed = await providerKey('EdDSA', 'third');

    expect(await asks('eyJhbGciOiJSUzI1NiJ9.e30.e30')).to.equal('service_unavailable');
    expect(await ready()).to.deep.equal([503, 503, 'down']);

    await provider.start([rsa], 'RS256');
    ahead_ms += 5_000;
    await eventually(async () => expect(await ready()).to.deep.equal([200, 'ready', 'up']), 20_000);
    const before = await provider.clientToken();
    expect(await asks(before)).to.equal('payments');
    expect(await asks(await provider.userToken('awa'))).to.equal('awa');

    await provider.stop();
    await provider.start([ec, rsa], 'ES256');
    ahead_ms += 30_000;
    expect(await asks(await provider.clientToken())).to.equal('payments');
    expect(await asks(await provider.userToken('awa'))).to.equal('awa');
    expect(await asks(before)).to.equal('payments');

    await provider.stop();
    await provider.start([ed], 'EdDSA');
    ahead_ms += 30_000;
    const last = await provider.userToken('awa');
    expect(await asks(last)).to.equal('awa');
    expect(await asks(await provider.clientToken())).to.equal('payments');
    expect(await asks(before), 'a withdrawn key').to.equal('token_invalid');

    const warnings: string[] = [];
    const { logger } = gateway.service<{ logger: Logger }>();
    logger.warn = (message: string) => void warnings.push(message);
    await provider.stop();
    ahead_ms += 10 * 60_000;
    await eventually(async () => expect(await ready()).to.deep.equal([200, 'degraded', 'degraded']), 20_000);
    expect(await asks(last)).to.equal('awa');
    expect(warnings).to.deep.equal(['token key set cannot be fetched, the last one stays in use']);

    await provider.start([ed], 'EdDSA');
    ahead_ms += 30_000;
    await eventually(async () => expect(await ready()).to.deep.equal([200, 'ready', 'up']), 20_000);
    expect(warnings.slice(1)).to.deep.equal(['token key set fetched']);
  });
});
