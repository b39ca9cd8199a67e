import { expect } from 'chai';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { keptMib, reportsKeptMemory } from '../../../bench/harness/kept-memory.ts';
import { startProcess, untilPrinted, type Started } from '../../harness/process.ts';

const REQUESTS = 100_000;

/** Starts a process that handles this many requests when it gets a signal. */
const handling = (request: string) => `
  const kept = [];
  let garbage;
  process.on('SIGUSR2', () => {
    for (let index = 0; index < ${String(REQUESTS)}; index += 1) { ${request} }
    console.log('handled ' + kept.length);
  });
  setInterval(() => undefined, 1_000);
  console.log('ready');
`;

describe("the benchmark's measure of memory", () => {
  let dataDir: string;
  let started: Started | undefined;

  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'association-kept-'));
  });

  afterEach(async () => {
    await started?.end('SIGKILL');
    await rm(dataDir, { recursive: true });
  });

  /** Returns by how much 100 000 requests let the memory of a process grow. */
  async function growthOf(request: string): Promise<number> {
    const env = { ...process.env, ...reportsKeptMemory, DATA_DIR: dataDir };
    started = startProcess(['-e', handling(request)], { env });
    await untilPrinted(started, 'ready');
    const before = await keptMib(dataDir, [started.pid]);
    started.child.kill('SIGUSR2');
    await untilPrinted(started, 'handled');
    return (await keptMib(dataDir, [started.pid])) - before;
  }

  it('sees 200 bytes that each request keeps', async () => {
    expect(await growthOf("kept.push(Buffer.alloc(200).toString('latin1'))")).to.be.within(17, 30);
  });

  it('sees buffers that each request keeps', async () => {
    expect(await growthOf('kept.push(Buffer.alloc(200))')).to.be.within(17, 60);
  });

  it('does not count garbage', async () => {
    expect(await growthOf("garbage = Buffer.alloc(2_000).toString('latin1')")).to.be.within(-2, 2);
  });
});
