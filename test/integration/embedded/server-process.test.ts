import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { startServer } from '../../../lib/embedded/server-process.ts';
import { freeLoopbackPort } from '../../../lib/node/ports.ts';

/** A server that does not start while its predecessor holds something, as PostgreSQL's shared memory: for its first start. */
const SERVER = `
  const { existsSync, writeFileSync } = require('node:fs');
  const [, pidFile] = process.argv;
  if (!existsSync(pidFile + '.held')) {
    writeFileSync(pidFile + '.held', '');
    console.log('still held');
    process.exit(1);
  }
  writeFileSync(pidFile, process.pid + '\\nready\\n');
  setInterval(() => undefined, 1000);
`;

describe('an embedded server', () => {
  let dir: string;
  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'association-server-'));
  });
  after(() => rm(dir, { recursive: true, force: true }));

  // Seed 314: clients did not find PostgreSQL again, which was killed and then needed two attempts to start.
  it('keeps its port if it starts only at the second attempt', async () => {
    const lastPort = await freeLoopbackPort();
    const pidFile = join(dir, 'server.pid');
    const server = await startServer(
      {
        name: 'Server',
        command: () => Promise.resolve([process.execPath, ['-e', SERVER, pidFile]]),
        env: {},
        stopSteps: [{ signal: 'SIGKILL', wait_ms: 2_000 }],
        pidFile,
        mark: pidFile,
        logFile: join(dir, 'server.log'),
        lastPort,
        isReady: ([, line]) => line === 'ready',
        start_max_ms: 10_000,
        mayRetry: (log) => log.includes('still held'),
        reason: /held/,
        url: (port) => `tcp://127.0.0.1:${String(port)}`,
      },
      () => undefined,
    );
    await server.stop();
    expect(server.port).to.equal(lastPort);
  });
});
