import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { loadOrCreateSecrets } from '../../lib/config/secrets.ts';
import { freePort } from '../harness/free-port.ts';

const root = join(import.meta.dirname, '..', '..');

describe('npm run demo', function () {
  this.timeout(120_000);

  let told = '';

  before(async () => {
    // With a port that is not in use, the demo always starts a server.
    const env = { ...process.env, PORT: String(await freePort()) };
    const { stdout } = await promisify(execFile)(process.execPath, ['examples/demo.ts'], { cwd: root, env });
    told = stdout;
  });

  it('runs a tontine of five over HTTP, and starts a server in one process for it', () => {
    expect(told).to.contain('The cycle nets to zero: all members have 50000, 50000, 50000, 50000, 50000 XAF');
    expect(told).to.contain('paid, 10000 by wallet and 2000 by cash');
  });

  it('shows arrears that are paid directly, and the rest deducted from the payout of the debtor', () => {
    expect(told).to.contain('Chantal will owe Amina 10000 XAF');
    expect(told).to.contain('directly to Amina, and still owes 6000 XAF');
    expect(told).to.contain('Amina 6000 XAF by wallet, Chantal 24000 XAF by wallet');
  });

  it('draws a verifiable order, and pays collected cash out as cash', () => {
    expect(told).to.contain('(npm run verify -- draw): VALID: 5 hands of 5 members');
    expect(told).to.match(/The round settles; paid out: (\w+) 30000 XAF by wallet, \1 20000 XAF by cash/);
  });

  it('pays savings back exactly', () => {
    expect(told).to.contain('the treasury holds 36000 XAF, of which 0 XAF may be spent');
    expect(told).to.contain(
      'the last; paid out: Amina 30000 XAF by wallet, Divine 15000 XAF by wallet, Emeka 7000 XAF by wallet',
    );
  });

  it('prints a statement and the path of its PDF', () => {
    expect(told).to.match(/arrears_payment +1 +wallet +4000 +4000\n/);
    expect(told).to.match(/to print and hand out: .+\.pdf\n/);
  });

  it('verifies every ledger', () => {
    expect(told.match(/VALID: \d+ transfers, head [0-9a-f]{64}/g)).to.have.length(4);
  });
});

describe('npm run demo with a server that has other secrets', () => {
  const stranger = createServer((request, response) => {
    response.writeHead(request.url === '/health/ready' ? 200 : 401).end('{}');
  });
  let port: number;
  let parent: string;

  before(async () => {
    await new Promise<void>((resolve) => stranger.listen(0, '127.0.0.1', resolve));
    ({ port } = stranger.address() as AddressInfo);
    parent = await mkdtemp(join(tmpdir(), 'association-demo-test-'));
  });
  after(async () => {
    await new Promise((resolve) => stranger.close(resolve));
    await rm(parent, { recursive: true, force: true });
  });

  async function expectOneLine(dataDir: string): Promise<void> {
    const env = { ...process.env, PORT: String(port), DATA_DIR: dataDir };
    const demo = promisify(execFile)(process.execPath, ['examples/demo.ts'], { cwd: root, env });
    const failure = await demo.then(
      () => undefined,
      (error: unknown) => error,
    );
    const stderr = `The server at http://127.0.0.1:${String(port)} was started with another DATA_DIR: set DATA_DIR or PORT.\n`;
    expect(failure).to.include({ code: 1, stdout: '', stderr });
  }

  it('fails with one line and creates no data directory', async () => {
    const dataDir = join(parent, 'new');
    await expectOneLine(dataDir);
    expect(existsSync(dataDir)).to.equal(false);
  });

  it('fails with one line if the data directory has the secrets of another server', async () => {
    const dataDir = join(parent, 'another');
    await loadOrCreateSecrets(dataDir);
    await expectOneLine(dataDir);
  });
});
