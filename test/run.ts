/** npm test: runs all test files, most of them side by side, and then those that have to be alone. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import { shareCluster } from './harness/cluster.ts';
import { startServers } from './harness/servers.ts';

/** Files that run one after the other when all others are done, and why. The last one looks at what all have reached. */
const ALONE: Record<string, string> = {
  'test/e2e/bad-requests.test.ts': 'counts all rows of the shared cluster',
  'test/e2e/client.test.ts': 'changes the PIN keys of the shared cluster',
  'test/e2e/zz-conformance.test.ts': 'looks at what all other files have reached',
};

/** Tests wait as much as they compute: twice as many processes as a small machine has cores. */
const JOBS = 4;

/** The longest files come first. */
const SIDE_BY_SIDE = ['chaos', 'e2e', 'integration', 'unit']
  .flatMap((folder) => globSync(`test/${folder}/**/*.test.ts`).sort())
  .filter((file) => !(file in ALONE));

const stopServers = await startServers();
const stopCluster = await shareCluster();
const failures = [
  await mocha('--parallel', '--jobs', String(JOBS), ...SIDE_BY_SIDE),
  await mocha(...Object.keys(ALONE)),
];
await stopCluster();
await stopServers();
process.exitCode = failures.every((code) => code === 0) ? 0 : 1;

async function mocha(...args: string[]): Promise<number | null> {
  const child = spawn(process.execPath, ['node_modules/.bin/mocha', ...args], { stdio: 'inherit' });
  await once(child, 'exit');
  return child.exitCode;
}
