import { randomBytes } from 'node:crypto';
import { OPERATOR } from '../lib/config/service-names.ts';
import { loadSettings } from '../lib/config/settings.ts';
import { uuidV7Source } from '../lib/node/ids.ts';
import { repairDatabases, type Plan } from './repair/repair-databases.ts';
import { readArguments, runOnce } from '../lib/node/run-once.ts';
import { openSources } from './verify/sources.ts';

const USAGE = `Usage: npm run repair -- [--apply] [--all] [--archive DIR]
Brings the four databases together after a restore. Stop all services first. Without --apply it only shows the plan.
  --all          shows each line of the plan, not only the first of each kind
  --archive DIR  has the files of archived events, which are seldom needed; repair says if they are
Exit code: 0 nothing is left to repair, 1 something is, or no record decides it.`;

/** How many lines of one kind are shown. */
const LINES_MAX = 10;

/** npm run repair: repeats what the databases have lost in a restore, from the records of the others and the stream. */
async function main(): Promise<void> {
  const no = { type: 'boolean', default: false } as const;
  const options = { apply: no, all: no, archive: { type: 'string' } } as const;
  const { apply, all, archive } = readArguments(USAGE, { options }).values;
  const clock = () => new Date();
  const sources = await openSources(loadSettings(process.env, OPERATOR), 'repair');
  try {
    const plan = await repairDatabases(sources, { clock, newId: uuidV7Source(clock), randomBytes }, apply, archive);
    show(plan, apply, all ? Infinity : LINES_MAX);
    const isOpen = plan.undecided.size > 0 || (plan.done.size > 0 && !apply);
    process.exitCode = isOpen ? 1 : 0;
  } finally {
    await sources.close();
  }
}

function show({ done, undecided }: Plan, isApplied: boolean, lines_max: number): void {
  const list = (title: string, lines: readonly string[], max: number): void => {
    console.log(`${title}: ${String(lines.length)}`);
    for (const line of lines.slice(0, max)) console.log(`  ${line}`);
    if (lines.length > max) console.log(`  and ${String(lines.length - max)} more`);
  };
  for (const [kind, lines] of done) list(kind, lines, lines_max);
  // People have to look at each of them.
  if (undecided.size > 0) list('UNDECIDED', [...undecided], Infinity);
  const sum = [...done.values()].reduce((all, lines) => all + lines.length, 0);
  const open = undecided.size === 0 ? '' : `, ${String(undecided.size)} undecided`;
  if (sum === 0) console.log(`Nothing to repair${open}.`);
  else if (isApplied) console.log(`Repaired: ${String(sum)} records${open}. Start the services, then verify.`);
  else console.log(`Would repair ${String(sum)} records${open}. Nothing is changed: --apply repairs.`);
}

await runOnce(main);
