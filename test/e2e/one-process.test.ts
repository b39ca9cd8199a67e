import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import jwt from 'jsonwebtoken';
import { loadOrCreateSecrets } from '../../lib/config/secrets.ts';
import { freePort } from '../harness/free-port.ts';
import { HttpClient } from '../harness/http.ts';
import { startProcess, untilPrinted, type Started } from '../harness/process.ts';

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
    for (const started of running) await started.end();
    await rm(dataDir, { recursive: true, force: true });
  });

  function start(): Started {
    const env = { ...process.env, DATA_DIR: dataDir, PORT: String(port), LOG_LEVEL: 'warn' };
    const started = startProcess(['cli/start.ts'], { env });
    running.push(started);
    return started;
  }

  async function ready(started: Started): Promise<HttpClient> {
    await untilPrinted(started, 'Association service ready: http://127.0.0.1:');
    const { jwtSecret } = await loadOrCreateSecrets(dataDir);
    const token = jwt.sign({ name: 'Awa' }, jwtSecret, { subject: 'awa', expiresIn: '1h' });
    const client = new HttpClient(`http://127.0.0.1:${String(port)}`, token);
    expect((await client.get('//health/ready')).status).to.equal(200);
    return client;
  }

  it('runs all services, reports a port in use in one line, stops cleanly and keeps its data', async () => {
    const first = start();
    const { id } = await (
      await ready(first)
    ).created('/associations', {
      name: 'Njangi',
      type: 'tontine',
      currency: 'XAF',
      contribution_amount: 1_000,
      contribution_frequency: 'monthly',
    });

    const second = start();
    expect(await second.ended).to.equal(1);
    expect(second.output()).to.match(new RegExp(`^Port ${String(port)} .*in use.*\n$`));

    expect(await first.end()).to.equal(0);

    const mine = await (await ready(start())).ok('/associations/my');
    expect((mine.data as { id: string }[]).map((association) => association.id)).to.deep.equal([id]);
  });
});
