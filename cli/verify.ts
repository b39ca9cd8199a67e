import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { StartupError } from '../lib/config/startup-error.ts';
import { runOnce } from './run-once.ts';

const USAGE = `Usage: npm run verify -- draw [cycle.json]        what GET /associations/:id/cycles/:cycle_id answered
       npm run verify -- [ledger] [export.ndjson]   what GET /associations/:id/ledger/export answered
Without a file it reads from stdin.`;

/** The verifiers need nothing of this project: a person who does not trust it can read them in a minute. */
const EXAMPLES = join(import.meta.dirname, '..', 'examples');

/**
 * npm run verify: draws a cycle's order again, or checks an exported ledger.
 * @returns the exit code: 0 if it is valid
 */
function main(given: string[]): number {
  const isNamed = given[0] === 'draw' || given[0] === 'ledger';
  const [kind, file, ...more] = isNamed ? given : ['ledger', ...given];
  if (more.length > 0) throw new StartupError(USAGE);
  if (file !== undefined && !existsSync(file)) throw new StartupError(`There is no file ${file}.\n${USAGE}`);
  const verifier = join(EXAMPLES, `verify-${String(kind)}.mjs`);
  const files = file === undefined ? [] : [file];
  return spawnSync(process.execPath, [verifier, ...files], { stdio: 'inherit' }).status ?? 1;
}

await runOnce(() => {
  process.exitCode = main(process.argv.slice(2));
});
