import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { ALL_SERVICES, FURTHER_SERVICES } from '../../lib/config/service-names.ts';
import { VARIABLES } from '../../lib/config/variables.ts';
import { composeContainer, readCompose } from '../harness/compose.ts';
import { ownVariables } from '../harness/own-variables.ts';
import { AWKWARD_PASSWORD, startDeployedServers, type DeployedServers } from '../harness/deployed.ts';
import { eventually } from '../harness/eventually.ts';
import type { HttpClient } from '../harness/http.ts';

/** Returns the name of the secret of a variable. */
function secretNameOf(variable: string): string {
  return variable.toLowerCase().replaceAll('_', '-');
}

/** Uses the routes of webhooks and reminders, each of which calls membership or its own database with its own logins. */
async function usesFurther(client: HttpClient, association: string): Promise<void> {
  await eventually(async () => expect((await client.get('/me/notifications'))?.status).to.equal(200), 30_000);
  await eventually(async () => expect((await client.get(`${association}/webhooks`))?.status).to.equal(200), 30_000);
  const webhook = await client.created(`${association}/webhooks`, {
    url: 'https://8.8.8.8/hook',
    types: ['cycle.started'],
  });
  expect(webhook.secret).to.match(/^whsec_/);
  const inside = await client.post(`${association}/webhooks`, { url: 'https://10.0.0.1/hook' });
  expect(inside.status).to.equal(422);
}

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

  it('passes the settings of each further service to it alone, those of channels from outside', () => {
    for (const service of FURTHER_SERVICES) {
      const { environment = {} } = compose.services[service] ?? {};
      const { secrets, generated, others } = ownVariables(service);
      const files = generated.map((name) => [`${name}_FILE`, `/run/secrets/${secretNameOf(name)}`]);
      expect(environment, service).to.include(Object.fromEntries(files));
      // What production refuses is not offered.
      for (const name of [...secrets, ...others].filter((each) => each !== 'WEBHOOK_PRIVATE_ADDRESSES'))
        expect(environment, service).to.have.property(name, null);
      const elsewhere = Object.entries(compose.services).filter(([name]) => name !== service);
      for (const [name, { environment: its = {} }] of elsewhere)
        for (const own of [...secrets, ...generated, ...others])
          expect(its, name).to.not.have.any.keys(own, `${own}_FILE`);
    }
  });

  it('gives the gateway the caller key of each further service, whose routes it serves only with it', () => {
    for (const service of FURTHER_SERVICES) {
      const key = { [`${service.toUpperCase()}_CALLER_KEY_FILE`]: `/run/secrets/${service}-caller-key` };
      for (const name of ['gateway', service]) expect(compose.services[name]?.environment, name).to.include(key);
    }
  });

  it('runs with two gateways, and with passwords that must be escaped in URLs', async () => {
    expect((await servers.run(containerOf('migrate'))).match(/database ready/g)).to.have.length(6);
    const names = ['gateway', ...ALL_SERVICES.toSorted((a) => (a === 'gateway' ? -1 : 1))];
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
    const path = `/associations/${String(association?.id)}`;
    expect((await two?.ok(path))?.name).to.equal('Njangi');
    if (two !== undefined) await usesFurther(two, path);
  });

  it('is verified by its operator', async () => {
    const operator = await servers.start(containerOf('operator'), 'checks');
    expect(operator.output()).to.match(/^VALID: \d+ records in \d+ checks/m);
  });
});
