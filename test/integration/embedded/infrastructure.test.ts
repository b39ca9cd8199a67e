import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { connect } from 'nats';
import { Client } from 'pg';
import { natsConnectOptions } from '../../../lib/config/server-urls.ts';
import { loadSettings } from '../../../lib/config/settings.ts';
import { readEndpoints, type Endpoints } from '../../../lib/embedded/endpoints.ts';
import { attachInfrastructure, startInfrastructure } from '../../../lib/embedded/infrastructure.ts';
import { isAlive } from '../../../lib/embedded/processes.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');

/** `npm run infra` as a process of its own, which can be killed. */
interface Infra {
  child: ChildProcess;
  output: () => string;
  serverPids: () => Promise<number[]>;
}

describe('embedded servers', () => {
  let dir: string;
  /** As a first start has left it. */
  let madeDir: string;
  let dataDir: string;
  let started: Infra[] = [];

  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'association-embedded-'));
    madeDir = dataDir = join(dir, 'made');
    const first = await infra();
    expect(first.output()).to.contain('Servers ready');
    await stop(first.child, 'SIGTERM');
    started = [];
  });
  after(() => rm(dir, { recursive: true, force: true }));

  beforeEach(async () => {
    dataDir = join(dir, 'data');
    // fs.cp() would not keep the owner of the files, as PostgreSQL needs.
    await promisify(execFile)('cp', ['-a', madeDir, dataDir]);
  });

  afterEach(async () => {
    for (const { child } of started) await stop(child, 'SIGTERM');
    // A failed test may leave servers of a killed process.
    for (const pid of (await Promise.all(started.map(({ serverPids }) => serverPids()))).flat()) kill(pid);
    started = [];
    await rm(dataDir, { recursive: true, force: true });
  });

  async function infra(env: NodeJS.ProcessEnv = {}): Promise<Infra> {
    const child = spawn(process.execPath, ['cli/infra.ts'], {
      cwd: ROOT,
      env: { PATH: process.env['PATH'], DATA_DIR: dataDir, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (output += text.toString()));
    const serverPids = async (): Promise<number[]> => {
      const files = ['postgres/postmaster.pid', 'nats.pid'].map((name) => join(dataDir, name));
      const texts = await Promise.all(files.map((file) => readFile(file, 'utf8').catch(() => '')));
      return texts.map((text) => Number(text.split('\n')[0])).filter((pid) => isAlive(pid));
    };
    const running = { child, output: () => output, serverPids };
    started.push(running);
    while (!output.includes('Servers ready') && child.exitCode === null) await delay(20);
    return running;
  }

  async function endpoints(): Promise<Endpoints> {
    const found = await readEndpoints(dataDir);
    if (found === undefined) throw new Error('no endpoints');
    return found;
  }

  async function ask(statement: string): Promise<unknown[]> {
    const client = new Client({ connectionString: (await endpoints()).adminUrl });
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(statement)).rows;
    } finally {
      await client.end();
    }
  }

  /** Writes one row and one message. @returns how many of each there are */
  async function keepSomething(): Promise<[unknown, number]> {
    await ask('CREATE TABLE IF NOT EXISTS kept (id int)');
    await ask('INSERT INTO kept VALUES (1)');
    const [row] = await ask('SELECT count(*)::int AS rows FROM kept');
    const nats = await connect(natsConnectOptions((await endpoints()).natsUrl));
    try {
      const manager = await nats.jetstreamManager();
      await manager.streams.add({ name: 'kept', subjects: ['kept'] });
      await nats.jetstream().publish('kept', 'x');
      return [row, (await manager.streams.info('kept')).state.messages];
    } finally {
      await nats.close();
    }
  }

  async function expectKept(): Promise<void> {
    expect(await keepSomething()).to.deep.equal([{ rows: 2 }, 2]);
  }

  it('keep their data and ports over an orderly stop, and leave nothing running', async () => {
    const first = await infra();
    await keepSomething();
    const before = await endpoints();
    const pids = await first.serverPids();
    expect(pids).to.have.length(2);
    expect(await stop(first.child, 'SIGINT')).to.equal(0);
    expect(pids.some(isAlive)).to.equal(false);
    expect(await readdir(dataDir)).not.to.include('endpoints.json');
    await infra();
    await expectKept();
    expect(await endpoints()).to.deep.equal(before);
  });

  it('are taken over by one of several processes when only our process was killed', async () => {
    const first = await infra();
    await keepSomething();
    const orphans = await first.serverPids();
    await stop(first.child, 'SIGKILL');
    expect(orphans.every(isAlive)).to.equal(true);
    expect(await readEndpoints(dataDir)).to.equal(undefined);
    const all = await Promise.all(Array.from({ length: 4 }, () => infra()));
    expect(all.filter(({ output }) => output().includes('Servers ready'))).to.have.length(1);
    expect(orphans.some(isAlive)).to.equal(false);
    await expectKept();
  });

  it('recover when everything was killed', async () => {
    const first = await infra();
    await keepSomething();
    const pids = await first.serverPids();
    const gone = once(first.child, 'exit');
    for (const pid of [first.child.pid ?? 0, ...pids]) process.kill(pid, 'SIGKILL');
    await gone;
    await infra();
    await expectKept();
  });

  it('start although another program has the pids of their last start', async () => {
    await stop((await infra()).child, 'SIGTERM');
    await writeFile(join(dataDir, 'postgres', 'postmaster.pid'), `${String(process.pid)}\n`);
    await writeFile(join(dataDir, 'nats.pid'), String(process.pid));
    expect((await infra()).output()).to.contain('Servers ready');
  });

  it('end our process when one of them dies', async () => {
    const { child, output, serverPids } = await infra();
    const [postgres = 0] = await serverPids();
    const exit = once(child, 'exit');
    process.kill(postgres, 'SIGKILL');
    expect((await exit)[0]).to.equal(1);
    expect(output()).to.contain('PostgreSQL ended unexpectedly');
    expect(await serverPids()).to.deep.equal([]);
  });

  it('belong to one process at a time', async () => {
    await infra();
    const second = await infra();
    expect(second.child.exitCode).to.equal(1);
    expect(second.output().trim()).to.match(/^Another process already runs the servers under [^\n]*$/);
    expect(await ask('SELECT 1 AS one')).to.deep.equal([{ one: 1 }]);
  });

  it('flush what they commit, and keep secrets from other users', async () => {
    await infra();
    const [row] = await ask(
      `SELECT current_setting('fsync') AS fsync, current_setting('synchronous_commit') AS commit`,
    );
    expect(row).to.deep.equal({ fsync: 'on', commit: 'on' });
    for (const name of ['secrets.json', 'endpoints.json', 'nats.conf', 'postgres.log', 'nats.log']) {
      expect((await stat(join(dataDir, name))).mode & 0o077, name).to.equal(0);
    }
  });

  it('serve other processes of the same DATA_DIR', async () => {
    const settings = loadSettings({ DATA_DIR: dataDir });
    expect(await refusal(attachInfrastructure(settings))).to.match(
      /^StartupError: No NATS server: set NATS_URL, or run npm start/,
    );
    await infra();
    const { natsUrl, databases } = await attachInfrastructure(settings, ['treasury']);
    expect({ natsUrl, url: databases.treasury?.url }).to.deep.equal({
      natsUrl: (await endpoints()).natsUrl,
      url: (await endpoints()).databases.treasury?.url,
    });
  });

  it('are not started where the settings name others, and one line says when those are away', async () => {
    const nowhere = { POSTGRES_URL: 'postgres://me:hunter2@127.0.0.1:1/x', NATS_URL: 'nats://me:hunter2@127.0.0.1:1' };
    for (const env of [{ ...nowhere }, { NATS_URL: nowhere.NATS_URL }, { POSTGRES_URL: nowhere.POSTGRES_URL }]) {
      const settings = loadSettings({ DATA_DIR: dataDir, ...env });
      const message = await refusal(startInfrastructure(settings, () => undefined));
      expect(message).to.match(/^StartupError: Cannot reach (NATS|Postgres) at 127\.0\.0\.1:1 \([^\n]+$/);
      expect(message).not.to.contain('hunter2');
    }
  });
});

const refusal = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'not refused',
    (error: Error) => `${error.name}: ${error.message}`,
  );

async function stop(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) {
    const exit = once(child, 'exit');
    child.kill(signal);
    await exit;
  }
  return child.exitCode;
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}
