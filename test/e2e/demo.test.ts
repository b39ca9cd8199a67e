import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { freePort } from '../support/free-port.ts';

const root = join(import.meta.dirname, '..', '..');

describe('npm run demo', function () {
  this.timeout(120_000);

  let told = '';

  before(async () => {
    // A port where nobody answers makes the demo start its own server, whatever else runs on this machine.
    const env = { ...process.env, PORT: String(await freePort()) };
    const { stdout } = await promisify(execFile)(process.execPath, ['examples/demo.ts'], { cwd: root, env });
    told = stdout;
  });

  it('runs a tontine of five over HTTP, on a server of its own in one process', () => {
    expect(told).to.contain('The cycle nets to zero: everybody has 50000, 50000, 50000, 50000, 50000 XAF');
    expect(told).to.contain('paid, 10000 by wallet and 2000 by cash');
  });

  it('shows arrears paid directly, and the rest set off at the turn of who owes them', () => {
    expect(told).to.contain('Chantal will owe Amina 10000 XAF');
    expect(told).to.contain('straight to Amina; she still owes 6000 XAF');
    expect(told).to.contain('Amina 6000 XAF by wallet, Chantal 24000 XAF by wallet');
  });

  it('draws an order that anybody can draw again, and pays cash out as cash', () => {
    expect(told).to.contain('(npm run verify -- draw): VALID: 5 hands of 5 members');
    expect(told).to.match(/The round settles: (\w+) 30000 XAF by wallet, \1 20000 XAF by cash/);
  });

  it('gives savings back exactly', () => {
    expect(told).to.contain('the treasury holds 36000 XAF, of which 0 XAF may be spent');
    expect(told).to.contain(
      'the last: Amina 30000 XAF by wallet, Divine 15000 XAF by wallet, Emeka 7000 XAF by wallet',
    );
  });

  it('prints a statement and says where it is as a page', () => {
    expect(told).to.match(/Arrears paid +Wallet +4000 +4000\n/);
    expect(told).to.match(/to print and hand round: .+\.pdf\n/);
  });

  it('verifies every ledger', () => {
    expect(told.match(/VALID: \d+ transfers, head [0-9a-f]{64}/g)).to.have.length(4);
  });
});
