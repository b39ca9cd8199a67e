import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { TABLE_SERVICES } from '../../lib/config/service-names.ts';
import { STREAM, type LedgerEvent } from '../../lib/contracts/events.ts';
import type { TransferRecord } from '../../lib/contracts/treasury.ts';
import { openBus } from '../../lib/events/stream.ts';
import { inDatabase, startCluster, type Cluster } from '../harness/cluster.ts';
import { ageEvents, eventsInStream, expectAllEventsOnce } from '../harness/cluster-events.ts';
import { playEverything } from '../harness/every-kind-of-record.ts';
import { startProcess } from '../harness/process.ts';
import { SteadyLoad } from '../harness/steady-load.ts';

const GROUPS = 3;
/** Each run archives what the load has written since the one before. */
const RUNS = 3;

describe('archived events', function () {
  this.timeout(300_000);
  let cluster: Cluster;
  let dir: string;

  before(async () => {
    cluster = await startCluster();
    dir = await mkdtemp(join(tmpdir(), 'archive-'));
  });
  after(async () => {
    await cluster.stop();
    await rm(dir, { recursive: true });
  });

  async function command(name: string, ...args: string[]): Promise<{ code: number | null; output: string }> {
    const { PATH, HOME } = process.env;
    const started = startProcess([join('cli', name), ...args], { env: { PATH, HOME, DATA_DIR: cluster.dataDir } });
    return { code: await started.ended, output: started.output() };
  }

  const archive = (...more: string[]) => command('archive.ts', '--older-than', '30d', '--to', dir, ...more);

  const verify = (...args: string[]) => command('verify.ts', ...args);

  /** Returns the archived events of all services. */
  async function inFiles(): Promise<LedgerEvent[]> {
    const names = (await readdir(dir)).sort();
    const contents = await Promise.all(names.map((name) => readFile(join(dir, name))));
    return contents.flatMap((content) => {
      const [, ...lines] = gunzipSync(content).toString().trimEnd().split('\n');
      return lines.map((line) => (JSON.parse(line) as { event: LedgerEvent }).event);
    });
  }

  it('are refused too young, and counted by a dry run', async () => {
    const young = await archive('--older-than', '6d');
    expect(young.output).to.match(/^--older-than 6d must be at least 7d/);
    expect(young.code).to.equal(1);
    await playEverything(cluster);
    for (const service of TABLE_SERVICES) await ageEvents(cluster, service);
    const dry = await archive('--dry-run');
    expect(dry.output).to.match(/^treasury: [1-9]\d* events \(\d+ bytes\) would be archived in 1 files/m);
    expect(await readdir(dir)).to.deep.equal([]);
  });

  it('are taken beside services under load without a failed request', async () => {
    const load = await SteadyLoad.prepare(cluster, GROUPS);
    load.start();
    for (let run = 0; run < RUNS; run += 1) {
      for (const service of TABLE_SERVICES) await ageEvents(cluster, service);
      const { code, output } = await archive();
      expect(code, output).to.equal(0);
      expect(output).to.match(/^contribution: [1-9]\d* events \(\d+ bytes\) archived in 1 files \(\d+ bytes\)$/m);
    }
    await load.stop();
    expect(load.failed()).to.deep.equal([]);
    await load.expectNothingLostOrDoubled();
    await expectAllEventsOnce(cluster, await inFiles());
  });

  it('are known to verification, which compares their files with the ledger', async () => {
    const ledger = await verify('ledger', '--recheck-after', '2s');
    expect(ledger.code, ledger.output).to.equal(0);
    expect(ledger.output).to.match(
      /^note: treasury has archived \d+ events, up to position \d+: npm run verify -- archive/m,
    );
    const files = await verify('archive', dir);
    expect(files.output).to.match(new RegExp(`^VALID: ${String((await inFiles()).length)} events in \\d+ files\n$`));
    expect(files.code).to.equal(0);
    const again = await verify('ledger', '--recheck-after', '2s');
    expect(again.output).to.not.contain('restored');
  });

  it('are found to be changed, missing, or other than the ledger', async () => {
    const [name = ''] = (await readdir(dir)).filter((each) => each.startsWith('treasury.')).sort();
    const path = join(dir, name);
    const content = await readFile(path);
    const text = gunzipSync(content).toString();
    const forged = text.replace(/"amount_minor":(\d)/, '"amount_minor":9$1');
    await writeFile(path, gzipSync(forged));
    expect(await verify('archive', dir)).to.deep.include({ code: 1 });
    await rm(path);
    const missing = await verify('archive', dir);
    expect(missing.output).to.match(/^\S+ is missing\nNOT VALID: 1 faults; \d+ events in \d+ files\n$/);
    await writeFile(path, content);
    const lines = text.trim().split('\n').slice(1);
    const events = lines.map((line) => (JSON.parse(line) as { event: LedgerEvent }).event);
    const { id, hash } = events.find(({ type }) => type === 'transfer.posted')?.data as TransferRecord;
    const change = (changed: string) =>
      inDatabase(cluster, 'treasury', async (client) => {
        await client.query('SET session_replication_role = replica');
        await client.query(`UPDATE transfers SET hash = ${changed} WHERE id = '${id}'`);
        await client.query('SET session_replication_role = DEFAULT');
      });
    await change(`overlay(hash placing 'ffffffff' from 1)`);
    expect((await verify('archive', dir)).output).to.match(
      /^archived transfer \S+ has the hash \w+, the ledger ffffffff/m,
    );
    await change(`'${hash}'`);
    expect((await verify('archive', dir)).code).to.equal(0);
    expect(await verify('archive', join(dir, 'nowhere'))).to.deep.include({ code: 2 });
  });

  it('are published again after the stream was lost, in order, while repair finds nothing', async () => {
    await Promise.all(cluster.members().map((member) => member.end()));
    expect((await command('repair.ts')).output).to.equal('Nothing to repair.\n');
    const before = await eventsInStream(cluster.natsUrl);
    const bus = await openBus(cluster.natsUrl, 'test');
    await bus.manager.streams.delete(STREAM);
    await bus.close();
    const { code, output } = await command('republish.ts', '--archive', dir);
    expect(code, output).to.equal(0);
    expect(output).to.match(/^treasury: archived events: [1-9]\d* were missing and are published$/m);
    await expectAllEventsOnce(cluster, await inFiles());
    expect(await eventsInStream(cluster.natsUrl)).to.have.length(before.length);
    for (const service of TABLE_SERVICES) await cluster.start([service]);
    const ledger = await verify('ledger', '--restart', '--recheck-after', '5s');
    expect(ledger.code, ledger.output).to.equal(0);
  });

  it('are missed in a stream that was made again without them', async () => {
    const bus = await openBus(cluster.natsUrl, 'test');
    await bus.manager.streams.delete(STREAM);
    await bus.close();
    const without = await command('republish.ts');
    expect(without.code, without.output).to.equal(1);
    expect(without.output).to.match(
      /^treasury: the stream lacks events of \d+ archive files: --archive DIR publishes them$/m,
    );
    const ledger = await verify('ledger', '--restart', '--recheck-after', '5s');
    expect(ledger.output).to.match(/archived event \S+ of treasury \(treasury\.\S+\) is not in the stream at \d+/);
    expect(ledger.code).to.equal(1);
    const late = await command('republish.ts', '--archive', dir);
    expect(late.output).to.match(
      /^treasury: archived events: \d+ were missing and are published, \d+ of them after later/m,
    );
    expect((await verify('ledger', '--restart', '--recheck-after', '5s')).code).to.equal(0);
  });
});
