/**
 * npm test: runs all test files, most of them side by side, and then those that have to be alone. With arguments only the
 * files that they name: `npm test -- 'test/e2e/*.test.ts'`.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import { join } from 'node:path';

/** Files that run one after the other when all others are done, and why. */
const ALONE: Record<string, string> = {
  'test/abuse/matrix.test.ts': 'compares all rows of the shared cluster',
  'test/abuse/mass-assignment.test.ts': 'compares all rows of the shared cluster',
  'test/e2e/bad-requests.test.ts': 'counts all rows of the shared cluster',
  'test/e2e/client.test.ts': 'changes the PIN keys of the shared cluster',
  'test/chaos/failover.test.ts': 'needs the time of the whole machine to be replaced within 5 s',
  'test/faults/seeds.test.ts': 'needs the time of the whole machine to recover',
  'test/e2e/zz-conformance.test.ts': 'looks at what all other files have reached',
  'test/e2e/zz-output.test.ts': 'reads what the processes of all other files have written',
};

/** Files with the longest waits; they start first, so that none of them is left over when all others are done. */
const LONGEST = [
  'test/chaos/*.test.ts',
  'test/faults/*.test.ts',
  'test/e2e/*.test.ts',
  'test/abuse/*.test.ts',
  'test/integration/contribution/{interleaving,recovery}.test.ts',
  'test/integration/treasury/locks.test.ts',
  'test/unit/gateway/linters.test.ts',
  'test/integration/**/*.test.ts',
  'test/unit/**/*.test.ts',
];

/** The tests of further services, which like those of other teams are run by node:test, and start servers of their own. */
const FURTHER = 'services/*/test/**/*.test.ts';

/** Tests wait about as long as they compute: twice as many processes as a small machine has cores. */
const JOBS = 4;

// Every process of the run, and there are hundreds, loads the same code.
process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, '..', '.cache', 'node');
const { shareCluster } = await import('./harness/cluster.ts');
const { startServers } = await import('./harness/servers.ts');

const wanted = process.argv.length > 2 ? new Set(globSync(process.argv.slice(2))) : undefined;
const files = [...new Set(LONGEST.flatMap((pattern) => globSync(pattern).sort()))].filter(
  (file) => wanted === undefined || wanted.has(file),
);
const further = globSync(FURTHER).filter((file) => wanted === undefined || wanted.has(file));
if (files.length + further.length === 0) throw new Error(`No test file matches ${process.argv.slice(2).join(' ')}`);
const alone = Object.keys(ALONE).filter((file) => files.includes(file));
const sideBySide = files.filter((file) => !(file in ALONE));

const stopServers = await startServers();
const stopCluster = files.some((file) => /^test\/(e2e|abuse)\//.test(file)) ? await shareCluster() : undefined;
const codes = [
  await mocha(sideBySide, '--parallel', '--jobs', String(JOBS)),
  await nodeTest(further),
  await mocha(alone),
];
await stopCluster?.();
await stopServers();
process.exitCode = codes.every((code) => code === 0) ? 0 : 1;

function mocha(specs: readonly string[], ...options: string[]): Promise<number | null> {
  return specs.length === 0 ? Promise.resolve(0) : run(['node_modules/.bin/mocha', ...options, ...specs]);
}

function nodeTest(specs: readonly string[]): Promise<number | null> {
  const options = ['--test', '--test-reporter=spec', `--test-concurrency=${String(JOBS)}`];
  return specs.length === 0 ? Promise.resolve(0) : run([...options, ...specs]);
}

async function run(args: readonly string[]): Promise<number | null> {
  const child = spawn(process.execPath, args, { stdio: 'inherit' });
  await once(child, 'exit');
  return child.exitCode;
}
