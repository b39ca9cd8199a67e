import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { wordsOf } from './plan.ts';
import { runSeed } from './run.ts';
import { startSite, type Site } from './site.ts';

/** Few enough for each build; `npm run chaos` plays more. */
const SEEDS = Array.from({ length: 20 }, (_, index) => index + 1);
/** Three minutes for all seeds. */
const LENGTHS = { work_ms: 2_500, fault_max_ms: 1_500 };
/** Only `npm run chaos`, on a machine of its own, checks that recovery takes 5 s at most. */
const RECOVERY_MAX_MS = 20_000;

describe('the services, while processes, links and servers fail', function () {
  this.timeout(120_000);
  let site: Site | undefined;

  beforeEach(async () => {
    site ??= await startSite();
  });
  afterEach(async function () {
    if (this.currentTest?.state !== 'failed') return;
    try {
      // As `npm run chaos` does.
      const logs = join('.cache', 'chaos', this.currentTest.title.replace(/\W+/g, '-'));
      await mkdir(logs, { recursive: true });
      await site?.saveLogs(logs);
      process.stdout.write(await faultsIn(logs));
    } finally {
      // What is broken stays broken.
      await site?.stop();
      site = undefined;
    }
  });
  after(() => site?.stop());

  for (const seed of SEEDS) {
    it(`keep what they have promised (seed ${String(seed)})`, async () => {
      const options = { lengths: LENGTHS, recovery_max_ms: RECOVERY_MAX_MS, run: `s${String(seed)}` };
      const { broken, plan } = await runSeed(site!, seed, options);
      expect(broken, wordsOf(plan).join('\n')).to.deep.equal({});
      await site!.restoreClocks();
    });
  }
});

/** A build keeps only what it prints: all faults of actions and requests, among them the cause of a 500. */
async function faultsIn(logs: string): Promise<string> {
  const files = await Promise.all(
    (await readdir(logs)).map(async (name) => {
      const lines = (await readFile(join(logs, name), 'utf8')).split('\n');
      return lines.filter((line) => /(action|request) failed/.test(line)).map((line) => `${name}: ${line}\n`);
    }),
  );
  return files.flat().join('');
}
