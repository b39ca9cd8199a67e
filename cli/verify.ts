import { spawnSync } from 'node:child_process';
import { existsSync, fstatSync } from 'node:fs';
import { join } from 'node:path';
import { StartupError } from '../lib/config/startup-error.ts';
import { archiveCommand } from './verify/archive.ts';
import { faultText, NOT_VALID, NOT_VERIFIED, VALID, verifyCommand } from './verify/command.ts';

const USAGE = `Usage: npm run verify -- ledger [options]            compares the four databases and the event stream
       npm run verify -- [ledger] <export.ndjson>   an exported ledger: GET /associations/:id/ledger/export
       npm run verify -- archive <directory>        compares archived events with the databases
       npm run verify -- draw [cycle.json]          a drawn order: GET /associations/:id/cycles/:cycle_id
An export or a cycle can also be piped into it. Options of the first form:
  --every 15m         runs until it is stopped, and compares what is new; once a day everything
  --incremental       compares what is new since the last run
  --restart           begins anew, even if the last run was interrupted
  --checkpoint FILE   keeps its progress there, not in DATA_DIR/verify-ledger.json
  --recheck-after 15s how long a difference must last: until then it may be work that is under way
  --databases         compares the databases even if stdin is a pipe
Exit code: 0 valid, 1 not valid, 2 could not be verified.`;

/** The verifiers import nothing from this project: a person who does not trust it can read them in a minute. */
const EXAMPLES = join(import.meta.dirname, '..', 'examples');

/**
 * npm run verify: repeats the draw of a cycle's order and compares, checks an exported ledger, or compares the databases.
 * @returns the exit code: 0 if all is valid
 */
async function main(args: string[]): Promise<number> {
  if (args[0] === 'archive') return (await archiveCommand(args.slice(1), USAGE)) ? VALID : NOT_VALID;
  const isNamed = args[0] === 'draw' || args[0] === 'ledger';
  const [kind = 'ledger', ...rest] = isNamed ? args : ['ledger', ...args];
  const hasOptions = rest.some((each) => each.startsWith('--'));
  if (kind === 'ledger' && (hasOptions || (rest.length === 0 && !isPiped()))) return verifyCommand(rest, USAGE);
  const [file, ...more] = rest;
  if (more.length > 0) throw new StartupError(USAGE);
  if (file !== undefined && !existsSync(file)) throw new StartupError(`There is no file ${file}.\n${USAGE}`);
  const verifier = join(EXAMPLES, `verify-${kind}.mjs`);
  const files = file === undefined ? [] : [file];
  const code = spawnSync(process.execPath, [verifier, ...files], { stdio: 'inherit' }).status ?? NOT_VERIFIED;
  if (code === NOT_VERIFIED && kind === 'ledger' && file === undefined) {
    console.error('The export was read from stdin, which is a pipe: --databases compares the databases.');
  }
  return code;
}

/** Whether a file or another program is connected to stdin. It is a terminal, /dev/null or closed otherwise. */
function isPiped(): boolean {
  try {
    const stdin = fstatSync(0);
    return stdin.isFIFO() || stdin.isFile() || stdin.isSocket();
  } catch {
    return false;
  }
}

process.exitCode = await main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(faultText(error));
  return NOT_VERIFIED;
});
