import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { nanos } from 'nats';
import pg from 'pg';
import { STREAM } from '../../../lib/contracts/events.ts';
import { openPool } from '../../../lib/db/pool.ts';
import type { Pool } from '../../../lib/db/db.ts';
import { archiveOutbox } from '../../../lib/events/archive-outbox.ts';
import { findLostArchives, listArchives } from '../../../lib/events/archives.ts';
import { readStreamContent, republishArchives, type StreamContent } from '../../../lib/events/republish-archives.ts';
import { republish } from '../../../lib/events/republish.ts';
import { EventsHarness } from '../../harness/events.ts';
import { eventually } from '../../harness/eventually.ts';
import { startNats, type TestNats } from '../../harness/nats.ts';
import { quietLog, testClock } from '../../harness/runtime.ts';

const ASSOCIATIONS = 3;
const FILE_EVENTS = 10;
const BEGINNING = new Date(0);
const MONTH = '30 days';

describe('archived events that the stream has lost', function () {
  this.timeout(60_000);
  let nats: TestNats;
  let harness: EventsHarness;
  let owner: pg.Pool;
  let db: Pool;
  let dir: string;
  let associations: string[];
  let warnings: unknown[][];

  before(async () => {
    nats = await startNats('');
  });
  after(() => nats.stop());
  beforeEach(async () => {
    harness = await EventsHarness.start('republish-archive', `nats://127.0.0.1:${String(nats.port)}`);
    owner = new pg.Pool({ connectionString: harness.test.migrationUrl, max: 2, pipeline: true });
    db = openPool(owner);
    dir = await mkdtemp(join(tmpdir(), 'archive-'));
    associations = Array.from({ length: ASSOCIATIONS }, harness.newId);
    warnings = [];
  });
  afterEach(async () => {
    await owner.end();
    await harness.reset();
    await streams().delete(STREAM);
    await harness.stop();
    await rm(dir, { recursive: true });
  });

  const streams = () => harness.bus.manager.streams;

  /** Publishes events, archives those that are not the last ones, and publishes new ones. @returns the ids by association */
  async function published(): Promise<Map<string, string[]>> {
    const relay = startRelay();
    await commit(20);
    await harness.untilAllPublished();
    await archiveAll();
    await commit(5);
    await harness.untilAllPublished();
    const ids = new Map<string, string[]>();
    for (const each of associations)
      ids.set(
        each,
        (await harness.inStream(each)).map(({ id }) => id),
      );
    await relay.stop();
    return ids;
  }

  /** Archives all published events but the last one. */
  async function archiveAll(): Promise<void> {
    await db.run(`UPDATE outbox SET published_at = published_at - interval '${MONTH}'`);
    const before = new Date();
    before.setDate(before.getDate() - 7);
    await archiveOutbox({ db, outbox: 'membership', dir, before, isDry: false, file_max_events: FILE_EVENTS });
  }

  const commit = (count: number) => harness.commit(associations, ...Array.from({ length: count }, harness.newId));

  function startRelay() {
    const warn = (...line: unknown[]) => void warnings.push(line);
    const relay = harness.startRelay({ log: { ...quietLog, warn } });
    harness.outbox.onCommit(() => relay.notify());
    return relay;
  }

  const readContent = () => readStreamContent(harness.bus, [harness.db]);

  /** Publishes as the command does. */
  async function republishAll(since = BEGINNING) {
    const content = await readContent();
    const archived = await republishFiles(content, since);
    return { archived, others: await republish(harness.relayParts(), since) };
  }

  const republishFiles = (content: StreamContent, since = BEGINNING) =>
    republishArchives({ db: harness.db, bus: harness.bus, clock: testClock, dir, since, content });

  async function expectInStream(ids: Map<string, string[]>, sort = false): Promise<void> {
    for (const [association, expected] of ids) {
      const found = (await harness.inStream(association)).map(({ id }) => id);
      expect(sort ? found.sort() : found).to.deep.equal(expected);
    }
  }

  it('are not those that the stream has, if they are archived while it is read', async () => {
    const ids = await published();
    const content = await readContent();
    await archiveAll();
    expect(await republishFiles(content)).to.deep.equal({ lost: 0, late: 0 });
    await expectInStream(ids);
  });

  it('are published again from the files, and then those of the outbox, all in order', async () => {
    const ids = await published();
    await streams().delete(STREAM);
    const { archived, others } = await republishAll();
    expect(archived).to.deep.equal({ lost: 59, late: 0 });
    expect(others).to.deep.include({ lost: 16, late: 0, lost_archives: 0 });
    await expectInStream(ids);
    const again = await republishAll();
    expect(again.archived.lost).to.equal(0);
    expect(again.others).to.deep.include({ lost: 0, lost_archives: 0 });
    await expectInStream(ids);
  });

  it('are found by a relay, which publishes the events of the outbox and says what is missing', async () => {
    const ids = await published();
    await streams().delete(STREAM);
    startRelay();
    await eventually(() => {
      expect(warnings.flat()).to.deep.include({ outbox: 'republish-archive', files: 6 });
    });
    expect(warnings.flat()).to.include(
      'relay: the stream lacks archived events: npm run republish -- --archive DIR publishes them',
    );
    await harness.untilAllPublished();
    expect((await findLostArchives(db, harness.bus, new Date())).length).to.equal(6);
    expect((await republishAll()).archived).to.deep.equal({ lost: 59, late: 59 });
    expect(await findLostArchives(db, harness.bus, new Date())).to.deep.equal([]);
    await expectInStream(ids, true);
  });

  it('are published up to a damaged file, and from there on once it is replaced', async () => {
    const ids = await published();
    await streams().delete(STREAM);
    const [, , third] = await listArchives(db);
    const path = join(dir, third!.file);
    const content = await readFile(path);
    await writeFile(path, content.subarray(0, 100));
    const failure = await republishAll().catch((error: Error) => error.message);
    expect(failure).to.match(/\.gz is damaged/);
    expect((await streams().info(STREAM)).state.messages).to.equal(2 * FILE_EVENTS);
    await writeFile(path, content);
    expect((await republishAll()).archived).to.deep.equal({ lost: 59 - 2 * FILE_EVENTS, late: 0 });
    await expectInStream(ids);
  });

  it('are published since an instant', async () => {
    await published();
    await streams().delete(STREAM);
    const [, , , fourth] = await listArchives(db);
    const { archived } = await republishAll(new Date(fourth!.last_time.getTime() + 1));
    expect(archived.lost).to.be.at.most(2 * FILE_EVENTS);
  });

  it('are not published if the stream would drop them because of their age or its size', async () => {
    await published();
    await streams().update(STREAM, { max_age: nanos(86_400_000) });
    await streams().purge(STREAM);
    expect((await republishAll()).archived).to.deep.equal({ lost: 0, late: 0 });
    const outbox = await db.first<{ bytes: bigint }>(
      'SELECT sum(octet_length(event::text))::bigint AS bytes FROM outbox',
    );
    const [last] = (await listArchives(db)).slice(-1);
    const max_bytes = Number(outbox!.bytes) + 2 * Number(last!.bytes);
    await streams().update(STREAM, { max_age: 0, max_bytes });
    await streams().purge(STREAM);
    const { archived } = await republishAll();
    expect(archived.lost).to.be.within(Number(last!.events), last!.events + FILE_EVENTS);
  });
});
