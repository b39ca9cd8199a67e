import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import jwt from 'jsonwebtoken';
import { loadOrCreateSecrets } from '../../lib/config/secrets.ts';
import { eventually } from '../harness/eventually.ts';
import { freePort } from '../harness/free-port.ts';
import { HttpClient } from '../harness/http.ts';

const root = join(import.meta.dirname, '..', '..');
const START_TIMEOUT_MS = 60_000;

interface Started {
  child: ChildProcess;
  output: () => string;
  /** The exit code. */
  ended: Promise<number | null>;
}

describe('npm start', function () {
  this.timeout(180_000);
  const running: Started[] = [];
  let dataDir: string;
  let port: number;

  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'association-start-'));
    port = await freePort();
  });
  after(async () => {
    for (const { child, ended } of running) {
      child.kill('SIGTERM');
      await ended;
    }
    await rm(dataDir, { recursive: true, force: true });
  });

  function start(): Started {
    const env = { ...process.env, DATA_DIR: dataDir, PORT: String(port), LOG_LEVEL: 'warn' };
    const child = spawn(process.execPath, ['cli/start.ts'], { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += String(chunk)));
    const started = { child, output: () => output, ended: once(child, 'exit').then(([code]) => code as number | null) };
    running.push(started);
    return started;
  }

  async function ready({ output }: Started): Promise<HttpClient> {
    await eventually(
      () => expect(output()).to.contain('Association service ready: http://127.0.0.1:'),
      START_TIMEOUT_MS,
    );
    const { jwtSecret } = await loadOrCreateSecrets(dataDir);
    const token = jwt.sign({ name: 'Awa' }, jwtSecret, { subject: 'awa', expiresIn: '1h' });
    const client = new HttpClient(`http://127.0.0.1:${String(port)}`, token);
    expect((await client.get('//health/ready')).status).to.equal(200);
    return client;
  }

  it('runs everything, says in one line that the port is in use, ends cleanly and keeps its data', async () => {
    const first = start();
    const { id } = await (
      await ready(first)
    ).created('/associations', {
      ...{ name: 'Njangi', type: 'tontine', currency: 'XAF' },
      ...{ contribution_amount: 1_000, contribution_frequency: 'monthly' },
    });

    const second = start();
    expect(await second.ended).to.equal(1);
    expect(second.output()).to.match(new RegExp(`^Port ${String(port)} .*in use.*\n$`));

    first.child.kill('SIGTERM');
    expect(await first.ended).to.equal(0);

    const mine = await (await ready(start())).ok('/associations/my');
    expect((mine.data as { id: string }[]).map((association) => association.id)).to.deep.equal([id]);
  });
});
