import { execFile } from 'node:child_process';
import { appendFile, mkdtemp, readdir, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import pg from 'pg';
import { verifyArchives } from '../../../cli/verify/archive.ts';
import { forTableServices } from '../../../lib/config/service-names.ts';
import { openPool } from '../../../lib/db/pool.ts';
import type { Pool } from '../../../lib/db/db.ts';
import { readArchive } from '../../../lib/events/archive-file.ts';
import { archiveOutbox, type ArchiveParts } from '../../../lib/events/archive-outbox.ts';
import { listArchives } from '../../../lib/events/archives.ts';
import { EventsHarness } from '../../harness/events.ts';
import { ROOT, startProcess } from '../../harness/process.ts';

const ASSOCIATIONS = 3;
const FILE_EVENTS = 10;
const OLD = new Date('2026-01-01T00:00:00Z');
const BEFORE = new Date('2026-02-01T00:00:00Z');

/** Returns the script for people who have only the files, as documented. */
async function documentedCheck(): Promise<string> {
  const text = await readFile(join(ROOT, 'docs', 'backup.md'), 'utf8');
  const [, script = ''] = /```sh\n(previous=.*?)```/s.exec(text) ?? [];
  expect(script).to.contain('treasury.*.gz');
  return script.replace('treasury', 'membership');
}

describe('the archive of an outbox', function () {
  this.timeout(60_000);
  let harness: EventsHarness;
  let owner: pg.Pool;
  let db: Pool;
  let dir: string;
  let associations: string[];

  beforeEach(async () => {
    harness = await EventsHarness.start('archive');
    owner = new pg.Pool({ connectionString: harness.test.migrationUrl, max: 2, pipeline: true });
    db = openPool(owner);
    dir = await mkdtemp(join(tmpdir(), 'archive-'));
    associations = Array.from({ length: ASSOCIATIONS }, harness.newId);
  });
  afterEach(async () => {
    await owner.end();
    await harness.stop();
    await rm(dir, { recursive: true });
  });

  /** Commits `count` events of each association, and marks them as published at an instant. */
  async function published(count: number, at: Date = OLD): Promise<void> {
    await harness.commit(associations, ...Array.from({ length: count }, harness.newId));
    await db.run('UPDATE outbox SET published_at = $1, stream_seq = position + 7 WHERE published_at IS NULL', [at]);
  }

  const archive = (more: Partial<ArchiveParts> = {}) =>
    archiveOutbox({
      db,
      outbox: 'membership',
      dir,
      before: BEFORE,
      isDry: false,
      file_max_events: FILE_EVENTS,
      ...more,
    });

  const inOutbox = () =>
    db.rows<{ position: bigint; event: string }>('SELECT position, event::text AS event FROM outbox ORDER BY position');

  async function inFiles(): Promise<{ position: bigint; event: string }[]> {
    const files = await Promise.all((await listArchives(db)).map((each) => readArchive(dir, each)));
    return files.flat().map(({ position, event }) => ({ position, event }));
  }

  async function faultOf(work: Promise<unknown>): Promise<string> {
    try {
      await work;
      return 'no fault';
    } catch (error) {
      expect((error as Error).name).to.equal('StartupError');
      return (error as Error).message;
    }
  }

  it('takes old published events in their order, and leaves the others from the first young one on', async () => {
    await published(9);
    await published(1, new Date());
    await published(3);
    const before = await inOutbox();
    expect(await archive()).to.deep.include({ files: 3, events: 27 });
    expect(await inFiles()).to.deep.equal(before.slice(0, 27));
    expect(await inOutbox()).to.deep.equal(before.slice(27));
    expect(await archive()).to.deep.include({ files: 0, events: 0 });
  });

  it('leaves unpublished events, those that follow them, and the newest', async () => {
    await published(4);
    await db.run('UPDATE outbox SET published_at = NULL WHERE position = 5');
    expect(await archive()).to.deep.include({ events: 4 });
    await db.run('UPDATE outbox SET published_at = $1 WHERE position = 5', [OLD]);
    expect(await archive()).to.deep.include({ events: 7 });
    expect((await inOutbox()).map(({ position }) => position)).to.deep.equal([12n]);
  });

  it('continues its chain in later runs, which standard tools can check', async () => {
    await published(5);
    await archive();
    await published(5);
    await archive();
    const script = await documentedCheck();
    const check = () => promisify(execFile)('sh', ['-c', script], { cwd: dir });
    expect((await check()).stdout).to.equal('');
    const [, second = ''] = (await readdir(dir)).sort();
    await rename(join(dir, second), join(dir, 'elsewhere'));
    expect((await check()).stdout).to.match(/^membership\.\S+ does not continue\n$/);
  });

  it('says what it would do without doing it', async () => {
    await published(9);
    expect(await archive({ isDry: true })).to.deep.include({ files: 3, events: 26, file_bytes: 0 });
    expect(await inOutbox()).to.have.length(27);
    expect(await readdir(dir)).to.deep.equal([]);
  });

  for (const diesAt of ['written', 'deleted', 'recorded']) {
    it(`loses nothing if the process is killed when a file is ${diesAt}, and a repeat completes it`, async () => {
      await published(9);
      const before = await inOutbox();
      const env = {
        ...process.env,
        OUTBOX_URL: harness.test.migrationUrl,
        ARCHIVE_DIR: dir,
        DIES_AT: diesAt,
        FILES_OF: String(FILE_EVENTS),
      };
      const killed = startProcess(['test/harness/archive-process.ts'], { env });
      await killed.ended;
      expect(killed.child.signalCode, killed.output()).to.equal('SIGKILL');
      expect([...(await inFiles()), ...(await inOutbox())]).to.deep.equal(before);
      expect(await readdir(dir)).to.have.length(1);
      await archive();
      expect([...(await inFiles()), ...(await inOutbox())]).to.deep.equal(before);
      expect(await inOutbox()).to.have.length(1);
      expect(await readdir(dir)).to.have.length(3);
    });
  }

  it('deletes nothing if an event was published again in the meantime', async () => {
    await published(9);
    const before = await inOutbox();
    const again = archive({
      reached: async (step) => {
        if (step === 'written') await db.run('UPDATE outbox SET published_at = now() WHERE position = 3');
      },
    });
    expect(await faultOf(again)).to.match(/published again while they were archived/);
    expect(await inOutbox()).to.deep.equal(before);
    expect(await listArchives(db)).to.deep.equal([]);
  });

  it('is made by one process at a time', async () => {
    await published(9);
    let second = '';
    await archive({
      reached: async (step) => {
        if (step === 'written' && second === '') second = await faultOf(archive());
      },
    });
    expect(second).to.match(/^Another process archives the outbox of membership/);
    expect(await inOutbox()).to.have.length(1);
  });

  it('never overwrites a file, and deletes nothing if the file on the disk has another content', async () => {
    await published(9);
    const before = await inOutbox();
    await archive({ isDry: false, reached: () => Promise.reject(new Error('stopped')) }).catch(() => undefined);
    const [name = ''] = await readdir(dir);
    await writeFile(join(dir, name), gzipSync('other'));
    expect(await faultOf(archive())).to.match(/has the SHA-256 \w{64}, not \w{64}$/);
    expect(await inOutbox()).to.deep.equal(before);
    expect(await readFile(join(dir, name))).to.deep.equal(gzipSync('other'));
  });

  it('that is not recorded is a fault if only it has some of its events, as after a restore', async () => {
    await published(5);
    await archive({ reached: () => Promise.reject(new Error('stopped')) }).catch(() => undefined);
    const verified = () => verifyArchives({ db: forTableServices(() => db) }, dir);
    const [file = ''] = await readdir(dir);
    expect(await verified()).to.deep.include({
      faults: [],
      notes: [`${file} is not recorded: its events are in the outbox, and the next run may use it.`],
    });
    await db.run('DELETE FROM outbox WHERE position IN (2, 3)');
    expect(await verified()).to.deep.include({
      faults: [`${file} is not recorded, and 2 of its events are only there: keep it`],
      notes: [],
    });
  });

  it('notices a file that is missing, cut off or changed', async () => {
    await published(5);
    await archive();
    const [record] = await listArchives(db);
    const path = join(dir, record!.file);
    const content = await readFile(path);
    await truncate(path, content.length - 20);
    expect(await faultOf(readArchive(dir, record!))).to.match(/is damaged/);
    await writeFile(path, content);
    await appendFile(path, gzipSync('{"position":99}\n'));
    expect(await faultOf(readArchive(dir, record!))).to.match(/has the SHA-256/);
    await rm(path);
    expect(await faultOf(readArchive(dir, record!))).to.match(/is missing/);
  });

  it('is refused to the role of the service, which can neither delete nor record events', async () => {
    await published(5);
    expect(await faultOf(archive({ db: harness.openDb() }))).to.match(/may not delete events: set POSTGRES_URL/);
    for (const statement of [
      'DELETE FROM outbox',
      'DELETE FROM outbox_archives',
      `UPDATE outbox_archives SET file = ''`,
    ]) {
      const outcome = await harness.db.run(statement).catch((error: { code?: string }) => error.code);
      expect(outcome, statement).to.equal('42501');
    }
  });

  it('can be made by a service that owns its tables, which has the privilege only meanwhile', async () => {
    await published(5);
    const { username } = new URL(harness.test.url);
    for (const table of ['outbox', 'outbox_archives']) await db.run(`ALTER TABLE ${table} OWNER TO "${username}"`);
    await db.run(`REVOKE ALL ON outbox, outbox_archives FROM "${username}"`);
    await db.run(`GRANT SELECT ON outbox, outbox_archives TO "${username}"`);
    expect(await archive({ db: harness.openDb() })).to.deep.include({ events: 14 });
    const outcome = await harness.db.run('DELETE FROM outbox').catch((error: { code?: string }) => error.code);
    expect(outcome).to.equal('42501');
  });
});
