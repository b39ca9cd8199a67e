import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { connect } from 'nats';
import { natsConnectOptions } from '../../../lib/config/server-urls.ts';
import { loadSettings } from '../../../lib/config/settings.ts';
import { readEndpoints, type Endpoints } from '../../../lib/embedded/data-dir.ts';
import { attachInfrastructure, startInfrastructure } from '../../../lib/embedded/infrastructure.ts';
import { isAlive } from '../../../lib/embedded/processes.ts';
import { startProcess, untilPrinted, type Started } from '../../harness/process.ts';
import { startRefusalOf } from '../../harness/refusal.ts';
import { withClient } from '../../harness/servers.ts';

describe('embedded servers', () => {
  /** Each test starts servers from the files that the earlier ones have left, however these ended. */
  let dataDir: string;
  let started: Started[] = [];

  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'association-embedded-'));
  });
  after(() => rm(dataDir, { recursive: true, force: true }));

  afterEach(async () => {
    for (const process of started) await process.end();
    // A failed test may leave servers running after it has killed their process.
    for (const pid of await serverPids()) process.kill(pid, 'SIGKILL');
    started = [];
  });

  /** Runs `npm run infra` as a separate process, which can be killed. */
  function begin(): Started {
    const env = { PATH: process.env['PATH'], DATA_DIR: dataDir };
    const infra = startProcess(['cli/infra.ts'], { env });
    started.push(infra);
    return infra;
  }

  async function start(): Promise<Started> {
    const infra = begin();
    await untilPrinted(infra, 'Servers ready');
    return infra;
  }

  /** Finds the process ids of PostgreSQL and NATS, in this order, as far as they run. */
  async function serverPids(): Promise<number[]> {
    const files = ['postgres/postmaster.pid', 'nats.pid'].map((name) => join(dataDir, name));
    const texts = await Promise.all(files.map((file) => readFile(file, 'utf8').catch(() => '')));
    return texts.map((text) => Number(text.split('\n')[0])).filter((pid) => pid !== process.pid && isAlive(pid));
  }

  async function endpoints(): Promise<Endpoints> {
    const found = await readEndpoints(dataDir);
    if (found === undefined) throw new Error('no endpoints');
    return found;
  }

  const ask = async (statement: string): Promise<unknown[]> =>
    withClient((await endpoints()).adminUrl ?? '', async (client) => (await client.query(statement)).rows as unknown[]);

  /** Writes a row and a message, and returns the number of rows and of messages. */
  async function writeData(): Promise<[number, number]> {
    await ask('CREATE TABLE IF NOT EXISTS kept (id int)');
    await ask('INSERT INTO kept VALUES (1)');
    const [{ rows }] = (await ask('SELECT count(*)::int AS rows FROM kept')) as [{ rows: number }];
    const nats = await connect(natsConnectOptions((await endpoints()).natsUrl));
    try {
      const manager = await nats.jetstreamManager();
      await manager.streams.add({ name: 'kept', subjects: ['kept'] });
      await nats.jetstream().publish('kept', 'x');
      return [rows, (await manager.streams.info('kept')).state.messages];
    } finally {
      await nats.close();
    }
  }

  async function expectKept([rows, messages]: [number, number]): Promise<void> {
    expect(await writeData()).to.deep.equal([rows + 1, messages + 1]);
  }

  it('keep their data and ports over an orderly stop, and leave no server running', async () => {
    const first = await start();
    const written = await writeData();
    const before = await endpoints();
    const pids = await serverPids();
    expect(pids).to.have.length(2);
    expect(await first.end('SIGINT')).to.equal(0);
    expect(pids.some(isAlive)).to.equal(false);
    expect(await readdir(dataDir)).not.to.include('endpoints.json');
    await start();
    await expectKept(written);
    expect(await endpoints()).to.deep.equal(before);
  });

  it('are taken over by one of several processes when only the process that started them was killed', async () => {
    const first = await start();
    const written = await writeData();
    const orphans = await serverPids();
    await first.end('SIGKILL');
    expect(orphans.every(isAlive)).to.equal(true);
    expect(await readEndpoints(dataDir)).to.equal(undefined);
    const all = await Promise.allSettled(Array.from({ length: 4 }, start));
    expect(all.filter(({ status }) => status === 'fulfilled')).to.have.length(1);
    expect(orphans.some(isAlive)).to.equal(false);
    await expectKept(written);
  });

  it('recover when all processes were killed', async () => {
    const first = await start();
    const written = await writeData();
    for (const pid of [first.pid, ...(await serverPids())]) process.kill(pid, 'SIGKILL');
    await first.ended;
    await start();
    await expectKept(written);
  });

  it('start even if other programs now have the process ids of their last start', async () => {
    await (await start()).end();
    await writeFile(join(dataDir, 'postgres', 'postmaster.pid'), `${String(process.pid)}\n`);
    await writeFile(join(dataDir, 'nats.pid'), String(process.pid));
    await start();
  });

  it('end the process that started them when PostgreSQL or NATS dies', async () => {
    const infra = await start();
    const [postgres = 0] = await serverPids();
    process.kill(postgres, 'SIGKILL');
    expect(await infra.ended).to.equal(1);
    expect(infra.output()).to.contain('PostgreSQL ended unexpectedly');
    expect(await serverPids()).to.deep.equal([]);
  });

  it('belong to one process at a time, and a second process refuses to start', async () => {
    await start();
    const second = begin();
    expect(await second.ended).to.equal(1);
    expect(second.output().trim()).to.match(/^Another process already runs the servers under [^\n]*$/);
    expect(await ask('SELECT 1 AS one')).to.deep.equal([{ one: 1 }]);
  });

  it('flush commits to disk, and make secrets unreadable to other users', async () => {
    await start();
    const [row] = await ask(
      `SELECT current_setting('fsync') AS fsync, current_setting('synchronous_commit') AS commit`,
    );
    expect(row).to.deep.equal({ fsync: 'on', commit: 'on' });
    for (const name of ['secrets.json', 'endpoints.json', 'nats.conf', 'postgres.log', 'nats.log']) {
      expect((await stat(join(dataDir, name))).mode & 0o077, name).to.equal(0);
    }
  });

  it('serve other processes that have the same DATA_DIR', async () => {
    const settings = loadSettings({ DATA_DIR: dataDir });
    expect(await startRefusalOf(attachInfrastructure(settings))).to.match(
      /^No NATS server: set NATS_URL, or run npm start/,
    );
    await start();
    const { natsUrl, databases } = await attachInfrastructure(settings, ['treasury']);
    expect({ natsUrl, url: databases.treasury?.url }).to.deep.equal({
      natsUrl: (await endpoints()).natsUrl,
      url: (await endpoints()).databases.treasury?.url,
    });
  });

  it('are not started if the settings name external servers; if those are unavailable, one line says so', async () => {
    const nowhere = { POSTGRES_URL: 'postgres://me:hunter2@127.0.0.1:1/x', NATS_URL: 'nats://me:hunter2@127.0.0.1:1' };
    for (const env of [{ ...nowhere }, { NATS_URL: nowhere.NATS_URL }, { POSTGRES_URL: nowhere.POSTGRES_URL }]) {
      const settings = loadSettings({ DATA_DIR: dataDir, ...env });
      const message = await startRefusalOf(startInfrastructure(settings, () => undefined));
      expect(message).to.match(/^Cannot reach (NATS|Postgres) at 127\.0\.0\.1:1 \([^\n]+$/);
      expect(message).not.to.contain('hunter2');
    }
  });
});
