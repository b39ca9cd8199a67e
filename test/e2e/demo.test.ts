import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { freePort } from '../support/free-port.ts';

const root = join(import.meta.dirname, '..', '..');

describe('npm run demo', function () {
  this.timeout(120_000);

  it('runs a group of five over HTTP, on a server of its own in one process, and verifies the ledger', async () => {
    // A port where nobody answers makes the demo start its own server, whatever else runs on this machine.
    const env = { ...process.env, PORT: String(await freePort()) };
    const { stdout } = await promisify(execFile)(process.execPath, ['examples/demo.ts'], { cwd: root, env });
    expect(stdout).to.contain('The cycle nets to zero: everybody has 50000, 50000, 50000, 50000, 50000 XAF');
    expect(stdout).to.contain('paid, 10000 by wallet and 2000 by cash');
    expect(stdout).to.match(/VALID: \d+ transfers, head [0-9a-f]{64}/);
  });
});
