import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { withDatabase, withLogin } from '../../lib/config/server-urls.ts';
import { exampleEvent } from '../../lib/contracts/event-schema.ts';
import { API_BASE } from '../../lib/contracts/api.ts';
import { lockDataDir, writeEndpoints } from '../../lib/embedded/data-dir.ts';
import type { OtherService } from '../../lib/transport/nats-permissions.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { copySources, installContracts } from '../harness/contracts-package.ts';
import { eventually } from '../harness/eventually.ts';
import { foundGroup } from '../harness/group.ts';
import { startService, type Started } from '../harness/process.ts';
import { root } from '../harness/project-files.ts';
import { contribute, done, openedMeeting } from '../harness/requests.ts';
import { withClient } from '../harness/servers.ts';

const run = promisify(execFile);

interface Manifest {
  dependencies: Record<string, string>;
  optionalDependencies: Record<string, string>;
  devDependencies: Record<string, string>;
}

/** The packages of the contracts package, which npm would install with it. */
const OF_CONTRACTS = ['canonicalize', 'currency-codes', 'etag', 'fastest-validator', 'lru-cache', 'pino', 'uuidv7'];

const CALLER_KEY = 'the key with which gateways sign who calls payroll';

const ADD_DEAD_LETTER = `
  INSERT INTO dead_letters (consumer, event_id, subject, event, error, deliveries, dead_at)
  VALUES ('payroll-contribution-paid', $1, 'ledger', $2, 'an error', 8, now())`;

describe('npm run new:service', function () {
  this.timeout(300_000);
  let work: string;
  let project: string;
  let folder: string;

  before(async () => {
    work = await mkdtemp(join(tmpdir(), 'new-service-'));
    project = await copySources(work);
    folder = join(work, 'payroll');
    await make('payroll');
    await install();
  });
  after(() => rm(work, { recursive: true, force: true }));

  function make(name: string): Promise<unknown> {
    return run('npm', ['run', '--silent', 'new:service', '--', name, '--into', work], { cwd: project });
  }

  /** Does what `npm install` does, with the packages of this project: a test has no registry. */
  async function install(): Promise<void> {
    const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Manifest;
    const { ['@association-service/contracts']: archive = '', ...dependencies } = manifest.dependencies;
    expect(
      Object.values({ ...dependencies, ...manifest.optionalDependencies, ...manifest.devDependencies }),
    ).not.to.include('');
    const needed = Object.keys({ ...dependencies, ...manifest.optionalDependencies, ...manifest.devDependencies });
    const installed = [...needed, ...OF_CONTRACTS].filter((name) => existsSync(join(root, 'node_modules', name)));
    await installContracts(folder, join(folder, archive.replace('file:', '')), installed);
    const modules = join(folder, 'node_modules');
    await symlink(join(root, 'node_modules', '.bin'), join(modules, '.bin'));
    // The tests need no download if this project has one.
    const downloaded = join(root, '.cache', 'nats-server');
    await mkdir(downloaded, { recursive: true });
    await mkdir(join(modules, '.cache'));
    await symlink(downloaded, join(modules, '.cache', 'association-service'));
  }

  async function script(name: string): Promise<string> {
    const env = { ...process.env, NODE_V8_COVERAGE: undefined };
    const outcome = await run('npm', ['run', '--silent', name], { cwd: folder, env }).catch((error: unknown) => error);
    const { stdout, stderr } = outcome as { stdout: string; stderr: string };
    if (outcome instanceof Error) throw new Error(`npm run ${name}\n${stdout}${stderr}`);
    return stdout;
  }

  for (const [name, message] of [
    ['payroll', /payroll exists: choose another name or directory\./],
    ['treasury', /"treasury" cannot be the name of a service: this project uses it at NATS\./],
    ['webhooks', /"webhooks" cannot be the name of a service: this project uses it at NATS\./],
    ['pay-roll', /"pay-roll" cannot be the name of a service: use a-z, 0-9 and _, beginning with a letter\./],
  ] as const) {
    it(`refuses the name ${name} in one line`, async () => {
      const refused = await make(name).then(
        () => ({ stderr: '' }),
        (error: unknown) => error as { stderr: string },
      );
      expect(refused.stderr.trim()).to.match(new RegExp(`^[^\\n]*${message.source}$`));
    });
  }

  it('makes a service that passes its type check and its tests as generated', async () => {
    await script('check');
    expect(await script('test')).to.match(/pass 4\n.*fail 0/);
  });

  it('does not start without settings, and says what is missing in one line', async () => {
    const refused = await run('npm', ['start', '--silent'], { cwd: folder }).then(
      () => ({ stderr: '' }),
      (error: unknown) => error as { stderr: string },
    );
    expect(refused.stderr).to.equal(
      'NATS_URL is not set: it must be nats://host:port or tls://host:port, several with commas between.\n',
    );
  });

  describe('beside the services, with the login of its README', () => {
    let cluster: Cluster;
    let databaseUrl: string;
    let service: Started;
    let env: NodeJS.ProcessEnv;

    before(async () => {
      const readme = await readFile(join(folder, 'README.md'), 'utf8');
      const [, entry = ''] = /```json\n(.*?)```/s.exec(readme) ?? [];
      const configDir = join(project, 'deploy', 'nats');
      const login = { ...(JSON.parse(entry) as OtherService), calls: ['membership', 'gateway'] };
      await writeFile(join(configDir, 'other-services.json'), JSON.stringify([login]));
      await run('npm', ['run', 'nats:permissions'], { cwd: project });
      cluster = await startCluster({
        logins: { configDir, others: ['payroll'] },
        settings: { PAYROLL_CALLER_KEY: CALLER_KEY },
      });
      databaseUrl = await createDatabase();
      const NATS_URL = withLogin(cluster.natsUrl, { user: 'payroll', password: 'secret' });
      env = { PATH: process.env['PATH'], NATS_URL, DATABASE_URL: databaseUrl, CALLER_KEY, NODE_ENV: 'production' };
      service = await startService([join(folder, 'src', 'main.ts')], { env });
    });
    after(async () => {
      await service.end();
      await cluster.stop();
    });

    async function createDatabase(): Promise<string> {
      await withClient(cluster.adminUrl, async (admin) => {
        await admin.query(`CREATE ROLE payroll LOGIN PASSWORD 'secret'`);
        await admin.query('CREATE DATABASE payroll OWNER payroll');
      });
      return withLogin(withDatabase(cluster.adminUrl, 'payroll'), { user: 'payroll', password: 'secret' });
    }

    it('counts a real contribution', async () => {
      const { id, members } = await foundGroup(cluster, { size: 2, funding: 5_000 });
      const [founder, other] = members;
      await done(contribute(other!, await openedMeeting(founder!), 1_000));
      const text = 'SELECT contributions, amount_minor::text, currency FROM paid_totals WHERE association_id = $1';
      await eventually(async () => {
        const { rows } = await withClient(databaseUrl, (client) => client.query(text, [id]));
        expect(rows).to.deep.equal([{ contributions: 1, amount_minor: '1000', currency: 'XAF' }]);
      });
    });

    it('has its route at the gateway, for members only, and in the document', async () => {
      const { id, members } = await foundGroup(cluster, { size: 2, funding: 5_000 });
      const [founder, other] = members;
      await done(contribute(other!, await openedMeeting(founder!), 2_000));
      const path = `/associations/${id}/paid-total`;
      const read = async (user: string) => {
        const headers = { Authorization: `Bearer ${cluster.token(user)}` };
        const answer = await fetch(`${cluster.origin}${API_BASE}${path}`, { headers });
        return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
      };
      await eventually(async () => {
        expect(await read(founder!.user)).to.deep.equal({
          status: 200,
          body: { contributions: 1, amount: 2_000, currency: 'XAF' },
        });
      });
      expect((await read('a stranger')).body).to.include({ status: 404, code: 'not_found' });
      const document = await fetch(`${cluster.origin}/openapi.json`);
      expect(await document.text()).to.include('"/associations/{association_id}/paid-total"');
    });

    it('can call the public actions of the services that its login names', async () => {
      const { id, members } = await foundGroup(cluster, { size: 2 });
      const { user } = members[1]!;
      await cp(join(import.meta.dirname, 'new-service', 'ask.ts'), join(folder, 'src', 'ask.ts'));
      const { stdout } = await run(process.execPath, ['src/ask.ts', id, user, cluster.token(user)], {
        cwd: folder,
        env,
      });
      const answers = JSON.parse(stdout.split('\n').at(-1) ?? '') as unknown;
      const refused = ['internal_error', 'internal_error', 'token_invalid'];
      expect(answers).to.deep.equal({ currency: 'XAF', role: 'member', roster: 2, listed: 1, refused });
    });

    it('handles dead letters again, also those that follow one that fails again', async () => {
      const association_id = randomUUID();
      const letters = [null, 700].map((amount_minor) => {
        const data = { amount_minor: amount_minor as number };
        return exampleEvent('contribution.paid', { id: randomUUID(), subject: association_id, data });
      });
      const ids = letters.map(({ id }) => id).sort();
      for (const [index, event] of letters.entries()) {
        const values = [ids[index], JSON.stringify({ ...event, id: ids[index] })];
        await withClient(databaseUrl, (client) => client.query(ADD_DEAD_LETTER, values));
      }
      const command = ['run', '--silent', 'dead-letters', '--', 'retry'];
      const failed = await run('npm', command, { cwd: folder, env: { ...process.env, ...env } }).catch(
        (error: unknown) => error as { code: number; stdout: string },
      );
      expect(failed).to.include({ code: 1 });
      expect(failed.stdout).to.match(
        /^2 dead letters\n\S+ contribution\.paid .*\n {2}not handled: null value .*\n\S+ .*\n {2}handled\n$/,
      );
      const { rows } = await withClient(databaseUrl, (client) => client.query('SELECT event_id FROM dead_letters'));
      expect(rows).to.deep.equal([{ event_id: ids[0] }]);
    });

    it('is healthy, logs JSON lines and no refusal of NATS, and stops in order', async () => {
      const [, metricsUrl = ''] = /metrics on ([^\s"]+)/.exec(service.output()) ?? [];
      const health = await fetch(new URL('/health', metricsUrl));
      expect(await health.json()).to.deep.equal({ status: 'ready', services: { payroll: 'up' } });
      expect(await (await fetch(metricsUrl)).text()).to.include('service_name="payroll"');
      expect(await service.end()).to.equal(0);
      const lines = service.output().trim().split('\n');
      expect(lines.map((line) => (JSON.parse(line) as { level: string }).level)).to.deep.equal(lines.map(() => 'info'));
    });

    it('runs as npm run dev with the servers of npm start, where it creates its database', async () => {
      await withClient(cluster.adminUrl, (admin) => admin.query('DROP DATABASE payroll WITH (FORCE)'));
      const dataDir = join(work, 'data');
      const lock = await lockDataDir(dataDir);
      await writeEndpoints(dataDir, { natsUrl: env['NATS_URL']!, databases: {}, adminUrl: cluster.adminUrl });
      const dev = await startService([join(folder, 'src', 'dev.ts'), dataDir], { env: { PATH: process.env['PATH'] } });
      await withClient(withDatabase(cluster.adminUrl, 'payroll'), (client) => client.query('SELECT FROM paid_totals'));
      expect(await dev.end()).to.equal(0);
      const { stdout } = await run(process.execPath, ['src/dev.ts', dataDir, 'dead-letters', 'list'], { cwd: folder });
      expect(stdout).to.equal('0 dead letters\n');
      lock.release();
      const refused = await run(process.execPath, ['src/dev.ts', dataDir], { cwd: folder }).catch(
        (error: unknown) => error,
      );
      expect(refused).to.include({ code: 1, stderr: `No npm start with its own PostgreSQL runs in ${dataDir}.\n` });
    });
  });
});
