import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { StartupError } from '../lib/config/startup-error.ts';
import { runOnce } from './run-once.ts';

const USAGE = `Usage: npm run verify -- draw [cycle.json]        the answer of GET /associations/:id/cycles/:cycle_id
       npm run verify -- [ledger] [export.ndjson]   the answer of GET /associations/:id/ledger/export
Without a file it reads from stdin.`;

/** The verifiers import nothing from this project: a person who does not trust it can read them in a minute. */
const EXAMPLES = join(import.meta.dirname, '..', 'examples');

/**
 * npm run verify: repeats the draw of a cycle's order and compares, or checks an exported ledger.
 * @returns the exit code: 0 if the file is valid
 */
function main(args: string[]): number {
  const isNamed = args[0] === 'draw' || args[0] === 'ledger';
  const [kind, file, ...more] = isNamed ? args : ['ledger', ...args];
  if (more.length > 0) throw new StartupError(USAGE);
  if (file !== undefined && !existsSync(file)) throw new StartupError(`There is no file ${file}.\n${USAGE}`);
  const verifier = join(EXAMPLES, `verify-${String(kind)}.mjs`);
  const files = file === undefined ? [] : [file];
  return spawnSync(process.execPath, [verifier, ...files], { stdio: 'inherit' }).status ?? 1;
}

await runOnce(() => {
  process.exitCode = main(process.argv.slice(2));
});
