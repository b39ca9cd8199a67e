import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { VARIABLES } from '../../lib/config/variables.ts';
import { composeContainer, readCompose } from '../harness/compose.ts';
import { AWKWARD_PASSWORD, startDeployedServers, type DeployedServers } from '../harness/deployed.ts';
import { eventually } from '../harness/eventually.ts';

const NODE_SERVICES = ['membership', 'contribution', 'treasury', 'governance'];

/** Runs the commands of docker-compose.yml without a container engine, with its environment and secrets. */
describe('docker-compose.yml', function () {
  this.timeout(180_000);
  const compose = readCompose();
  let servers: DeployedServers;

  before(async () => {
    const nats = [1, 2, 3].map((number) => `nats-${String(number)}:4222`);
    servers = await startDeployedServers({ postgres: 'postgres:5432', nats });
  });
  after(() => servers.stop());

  const containerOf = (name: string) => composeContainer(compose, name);

  it('uses secrets in a directory readable by its owner only, and keeps existing secrets', async () => {
    expect((await stat(servers.secrets)).mode & 0o777).to.equal(0o700);
    expect(await readFile(join(servers.secrets, 'nats-gateway-password'), 'utf8')).to.equal(`${AWKWARD_PASSWORD}\n`);
    expect(await readFile(join(servers.secrets, 'jwt-secret'), 'utf8')).to.match(/^[\w-]{43}\n$/);
  });

  it('publishes a range of ports for the gateways, and no port of other services', () => {
    const published = Object.entries(compose.services).filter(([, { ports }]) => ports !== undefined);
    expect(published.map(([name, { ports }]) => [name, ports])).to.deep.equal([
      ['gateway', ['${PORT:-3000-3009}:3000']],
    ]);
  });

  it('passes every setting of tokens to the gateway, and its secret unless JWT_SECRET_FILE is empty', () => {
    const environment = compose.services['gateway']?.environment ?? {};
    const { JWT_SECRET_FILE, ...others } = Object.fromEntries(
      Object.entries(environment).filter(([name]) => /^(JWT|OIDC)_/.test(name)),
    );
    const settings = Object.keys(VARIABLES).filter((name) => /^(JWT|OIDC)_/.test(name) && name !== 'JWT_SECRET');
    expect(others).to.deep.equal(Object.fromEntries(settings.map((name) => [name, null])));
    expect(JWT_SECRET_FILE).to.equal('${JWT_SECRET_FILE-/run/secrets/jwt-secret}');
  });

  it('runs with two gateways, and with passwords that must be escaped in URLs', async () => {
    expect((await servers.run(containerOf('migrate'))).match(/database ready/g)).to.have.length(4);
    const names = ['gateway', 'gateway', ...NODE_SERVICES];
    const started = await Promise.all(names.map((name) => servers.start(containerOf(name))));
    const [one, two] = await Promise.all(started.slice(0, 2).map((gateway) => servers.clientOf(gateway)));
    for (const client of [one, two]) {
      await eventually(async () => expect((await client?.get('//health/ready'))?.status).to.equal(200));
    }
    const association = await one?.created('/associations', {
      name: 'Njangi',
      type: 'tontine',
      currency: 'XAF',
      contribution_amount: 1_000,
      contribution_frequency: 'monthly',
    });
    expect((await two?.ok(`/associations/${String(association?.id)}`))?.name).to.equal('Njangi');
  });

  it('is verified by its operator', async () => {
    const operator = await servers.start(containerOf('operator'), 'checks');
    expect(operator.output()).to.match(/^VALID: \d+ records in \d+ checks/m);
  });
});
