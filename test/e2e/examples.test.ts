import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { freePort } from '../harness/free-port.ts';

const root = join(import.meta.dirname, '..', '..');

/** The lines of an example that anyone should be able to read in one go. */
const LINES_MAX = 100;

/** Runs an example, which starts a server of its own. @returns what it has printed */
async function run(example: string): Promise<string> {
  const env = { ...process.env, PORT: String(await freePort()) };
  const { stdout } = await promisify(execFile)(process.execPath, [`examples/${example}`], { cwd: root, env });
  return stdout;
}

describe('the examples with a test clock', function () {
  this.timeout(300_000);

  it('live through a year of twelve groups, of which every member paid one fine in each', async () => {
    expect(await run('year.ts')).to.contain(
      '12 groups, 12 rounds each: every member has 1994000, all cycles are done.',
    );
    const lines = (await readFile(join(root, 'examples', 'year.ts'), 'utf8')).trimEnd().split('\n');
    expect(lines.length).to.be.at.most(LINES_MAX);
  });

  it('keep a sheet for two weeks, and send it once over a link that loses every second answer', async () => {
    const told = await run('offline-sheet.mjs');
    expect(told).to.contain('The sheet is submitted, after 4 requests and 2 lost answers');
    expect(told).to.contain('one transfer in the ledger, 50000 XAF in the cash box');
  });
});
