import { rm } from 'node:fs/promises';
import { expect } from 'chai';
import { makeDataDir } from '../harness/cluster.ts';
import { eventually } from '../harness/eventually.ts';
import { HttpClient } from '../harness/http.ts';
import { IdentityProvider, providerKey } from '../harness/identity-provider.ts';
import { startService, type Started } from '../harness/process.ts';

describe('npm start with OIDC_ISSUER', function () {
  this.timeout(180_000);
  let provider: IdentityProvider;
  let dataDir: string;
  let service: Started;
  let origin: string;

  before(async () => {
    provider = await IdentityProvider.at();
    dataDir = await makeDataDir();
    const { PATH } = process.env;
    // Nothing else is set, and the provider is not available yet.
    const env = { PATH, DATA_DIR: dataDir, PORT: '0', OIDC_ISSUER: provider.issuer };
    service = await startService(['cli/start.ts'], { env });
    origin = new URL(/ready: (http\S+)/.exec(service.output())?.[1] ?? '').origin;
  });
  after(async () => {
    await service.end();
    await provider.stop();
    await rm(dataDir, { recursive: true, force: true });
  });

  const readiness = async () => {
    const { status, body } = await new HttpClient(origin, '').get('//health/ready');
    return [status, (body.services as Record<string, string>).token_keys];
  };

  it('starts without the provider, and serves users and programs once it is available', async () => {
    expect(await readiness()).to.deep.equal([503, 'down']);
    expect(service.output()).to.match(/no token key set.*ECONNREFUSED/s);

    await provider.start([await providerKey('RS256', 'first')]);
    await eventually(async () => expect(await readiness()).to.deep.equal([200, 'up']), 30_000);

    const signedIn = await provider.signIn('awa');
    const awa = new HttpClient(origin, signedIn.access_token);
    const wallet = await awa.created('/wallets', { currency: 'XAF' });
    const { id } = await awa.created('/associations', {
      name: 'Njangi',
      type: 'tontine',
      currency: 'XAF',
      contribution_amount: 1_000,
      contribution_frequency: 'monthly',
    });
    const members = await awa.ok(`/associations/${String(id)}/members`);
    expect(members.data).to.have.lengthOf(1).and.have.nested.property('[0].display_name', 'The name of awa');

    const deposit = { amount: 5_000, reference: 'opening' };
    const bank = new HttpClient(origin, await provider.clientToken({ scope: 'wallets:fund' }));
    await bank.created(`/wallets/${String(wallet.id)}/deposits`, deposit);
    expect((await awa.post(`/wallets/${String(wallet.id)}/deposits`, deposit)).status).to.equal(403);

    const { status, body } = await new HttpClient(origin, signedIn.id_token).get('/associations/my');
    expect([status, body.code]).to.deep.equal([401, 'token_invalid']);
  });
});
