import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { CORE_SCHEMA, load, mergeTag } from 'js-yaml';
import jwt from 'jsonwebtoken';
import { VARIABLES } from '../../lib/config/variables.ts';
import { startPostgres } from '../../lib/embedded/postgres.ts';
import { eventually } from '../harness/eventually.ts';
import { HttpClient } from '../harness/http.ts';
import { startDeployedCluster } from '../harness/nats.ts';
import { ROOT, startProcess, startService, untilPrinted } from '../harness/process.ts';

const NODE_SERVICES = ['membership', 'contribution', 'treasury', 'governance'];

interface ComposeService {
  command?: string[];
  environment: Record<string, string | null>;
  secrets: string[];
  ports?: string[];
}

/** Runs the commands of docker-compose.yml without a container engine, with its environment and secrets. */
describe('docker-compose.yml', function () {
  this.timeout(180_000);
  const stops: (() => Promise<unknown>)[] = [];
  let compose: { services: Record<string, ComposeService>; secrets: Record<string, { file: string }> };
  let dir: string;
  let secrets: string;
  let hosts: Record<string, string>;

  before(async () => {
    const schema = CORE_SCHEMA.withTags(mergeTag);
    compose = load(await readFile(join(ROOT, 'docker-compose.yml'), 'utf8'), { schema }) as typeof compose;
    dir = await mkdtemp(join(tmpdir(), 'association-compose-'));
    stops.push(() => rm(dir, { recursive: true, force: true }));
    secrets = join(dir, 'secrets');
    await mkdir(secrets);
    for (const name of ['nats-route', 'nats-gateway', 'postgres', 'treasury'])
      await writeFile(secret(`${name}-password`), 'p/@ #:%?$x\n');
    await promisify(execFile)(process.execPath, ['cli/secrets.ts', secrets], { cwd: ROOT });
    const password = (await readFile(secret('postgres-password'), 'utf8')).trimEnd();
    const postgres = await startPostgres({ dataDir: dir, password, onCrash: (line) => process.stderr.write(line) });
    stops.push(() => postgres.stop());
    const nats = await startDeployedCluster(secrets);
    stops.push(() => Promise.all(nats.map((server) => server.stop())));
    const servers = nats.map(({ port }, index): [string, string] => [
      `nats-${String(index + 1)}:4222`,
      `127.0.0.1:${String(port)}`,
    ]);
    hosts = { 'postgres:5432': `127.0.0.1:${String(postgres.port)}`, ...Object.fromEntries(servers) };
  });
  after(async () => {
    for (const stop of stops.reverse()) await stop();
  });

  function secret(name: string): string {
    return join(secrets, name);
  }

  /** Returns the environment of a service's container: what the file gives it and what the image sets. */
  function environmentOf(name: string): NodeJS.ProcessEnv {
    const { environment, secrets: granted } = service(name);
    const env = Object.entries(environment).map(([variable, value]): [string, string | undefined] => {
      const text = value?.replace(/\$\{\w+:?-([^}]*)\}/, '$1');
      const mounted = /^\/run\/secrets\/(.+)$/.exec(text ?? '')?.[1];
      if (mounted === undefined)
        return [variable, text?.replace(/postgres:5432|nats-\d:4222/g, (host) => hosts[host] ?? '')];
      expect(granted, `secrets of ${name}`).to.include(mounted);
      const file = compose.secrets[mounted]?.file.replace(/\$\{\w+:-([^}]*)\}/, '$1') ?? '';
      expect(file).to.match(/^\.\/secrets\//);
      return [variable, secret(basename(file))];
    });
    const image = { NODE_ENV: 'production', DATA_DIR: join(dir, 'data'), PORT: '0', METRICS_PORT: '0' };
    return { PATH: process.env['PATH'], ...image, ...Object.fromEntries(env) };
  }

  function service(name: string): ComposeService {
    const found = compose.services[name];
    if (found === undefined) throw new Error(`${name} is not in docker-compose.yml`);
    return found;
  }

  async function start(name: string): Promise<string> {
    const started = await startService(service(name).command ?? [], { env: environmentOf(name) });
    stops.push(() => started.end());
    return /http:\/\/127\.0\.0\.1:\d+/.exec(started.output())?.[0] ?? '';
  }

  it('uses secrets in a directory readable by its owner only, and keeps existing secrets', async () => {
    expect((await stat(secrets)).mode & 0o777).to.equal(0o700);
    expect(await readFile(secret('nats-gateway-password'), 'utf8')).to.equal('p/@ #:%?$x\n');
    expect(await readFile(secret('jwt-secret'), 'utf8')).to.match(/^[\w-]{43}\n$/);
  });

  it('publishes a range of ports for the gateways, and no port of other services', () => {
    const published = Object.entries(compose.services).filter(([, { ports }]) => ports !== undefined);
    expect(published.map(([name, { ports }]) => [name, ports])).to.deep.equal([
      ['gateway', ['${PORT:-3000-3009}:3000']],
    ]);
  });

  it('passes every setting of tokens to the gateway, and its secret unless JWT_SECRET_FILE is empty', () => {
    const { environment } = service('gateway');
    const { JWT_SECRET_FILE, ...others } = Object.fromEntries(
      Object.entries(environment).filter(([name]) => /^(JWT|OIDC)_/.test(name)),
    );
    const settings = Object.keys(VARIABLES).filter((name) => /^(JWT|OIDC)_/.test(name) && name !== 'JWT_SECRET');
    expect(others).to.deep.equal(Object.fromEntries(settings.map((name) => [name, null])));
    expect(JWT_SECRET_FILE).to.equal('${JWT_SECRET_FILE-/run/secrets/jwt-secret}');
  });

  it('runs with two gateways, and with passwords that must be escaped in URLs', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, service('migrate').command ?? [], {
      cwd: ROOT,
      env: environmentOf('migrate'),
    });
    expect(stdout.match(/database ready/g)).to.have.length(4);
    const [first, second] = await Promise.all(['gateway', 'gateway', ...NODE_SERVICES].map(start));
    const jwtSecret = (await readFile(secret('jwt-secret'), 'utf8')).trimEnd();
    const token = jwt.sign({ name: 'Awa' }, jwtSecret, { subject: 'awa', expiresIn: '1h' });
    const one = new HttpClient(first ?? '', token);
    const two = new HttpClient(second ?? '', token);
    for (const client of [one, two]) {
      await eventually(async () => expect((await client.get('//health/ready')).status).to.equal(200));
    }
    const { id } = await one.created('/associations', {
      name: 'Njangi',
      type: 'tontine',
      currency: 'XAF',
      contribution_amount: 1_000,
      contribution_frequency: 'monthly',
    });
    expect((await two.ok(`/associations/${String(id)}`)).name).to.equal('Njangi');
  });

  it('is verified by the container of deploy/docker-compose.monitoring.yml', async () => {
    const monitoring = load(
      await readFile(join(ROOT, 'deploy', 'docker-compose.monitoring.yml'), 'utf8'),
    ) as typeof compose;
    compose.services['verifier'] = monitoring.services['verifier']!;
    const verifier = startProcess(service('verifier').command ?? [], { env: environmentOf('verifier') });
    stops.push(() => verifier.end());
    await untilPrinted(verifier, 'checks');
    expect(verifier.output()).to.match(/^VALID: \d+ records in \d+ checks/m);
  });
});
