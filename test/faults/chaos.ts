/**
 * npm run chaos -- --seed S --runs N: plays N seeds from S, each with other people, work and faults. A failed run prints its
 * seed, its plan and the rules that were broken, and keeps its logs. The same seed gives the same plan.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { writeHistory, type Exchange } from './history/exchange.ts';
import { USUAL, wordsOf, type FaultKind } from './plan.ts';
import { runSeed, type RunReport } from './run.ts';
import { playDefect } from './seed-defect.ts';
import { startSite, type Site } from './site.ts';

/**
 * A site is used for this many runs unless one fails: its start takes as long as half a run. After many more runs, to fill a
 * deleted stream with the events of all of them takes longer than recovery may.
 */
const RUNS_PER_SITE = 10;
/** A defect must be noticed within this many seeds. */
const DEFECT_RUNS = 20;
const DEFECT_RECOVERY_MAX_MS = 20_000;
type Verdict = 'holds' | 'broken' | 'not played';
/** Of so many planned faults of a kind, one must have happened; otherwise the harness does not make them any more. */
const PLANNED_IN_VAIN_MAX = 20;
/** Exit codes. A failure of the harness itself, after which Node ends with 1, does not count as a defect that it has noticed. */
const BROKEN = 3;
const NOT_PLAYED = 2;
/** One defect can break a rule hundreds of times. */
const LINES_MAX = 12;
/** A line may contain a whole answer. */
const LINE_MAX_CHARACTERS = 500;

// All processes load the same code.
process.env['NODE_COMPILE_CACHE'] ??= resolve('.cache', 'node');

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    runs: { type: 'string', default: '1' },
    /** Milliseconds. */
    recovery: { type: 'string', default: '5000' },
    logs: { type: 'string', default: join('.cache', 'chaos') },
    /** Plays up to 20 seeds with a deliberate defect: see defects.ts. */
    defect: { type: 'string' },
    'until-broken': { type: 'boolean', default: false },
  },
});
const first = Number(values.seed);
const runs = Number(values.runs);
const recovery_max_ms = Number(values.recovery);
if (!Number.isSafeInteger(first) || !Number.isSafeInteger(runs) || runs < 1) {
  throw new Error('--seed and --runs must be integers');
}

const counts = new Map<FaultKind, { planned: number; happened: number }>();
if (values.defect === undefined) {
  const verdicts = await playAll();
  const having = (verdict: Verdict) =>
    [...verdicts].flatMap(([seed, each]) => (each === verdict ? [String(seed)] : []));
  const [broken, notPlayed] = [having('broken'), having('not played')];
  print(
    `${String(verdicts.size)} seeds, broken: ${broken.join(', ') || 'none'}, not played: ${notPlayed.join(', ') || 'none'}`,
  );
  const inVain = [...counts].filter(([, { planned, happened }]) => happened === 0 && planned >= PLANNED_IN_VAIN_MAX);
  print(`faults that happened: ${wordsOfCounts()}`, ...inVain.map(([kind]) => `${kind} never happened`));
  process.exitCode = broken.length > 0 ? BROKEN : notPlayed.length > 0 || inVain.length > 0 ? NOT_PLAYED : 0;
} else {
  // A slow recovery may have other causes, so only one that does not end is a defect.
  const args = ['--seed', values.seed, '--runs', String(DEFECT_RUNS), '--recovery', String(DEFECT_RECOVERY_MAX_MS)];
  const isNoticed = (await playDefect(values.defect, args)) === BROKEN;
  print(`The defect ${values.defect} was ${isNoticed ? '' : 'NOT '}noticed`);
  process.exitCode = isNoticed ? 0 : 1;
}

function count({ plan, happened }: RunReport): void {
  for (const fault of plan.faults) {
    const { planned, happened: before } = counts.get(fault.kind) ?? { planned: 0, happened: 0 };
    counts.set(fault.kind, { planned: planned + 1, happened: before + (happened.includes(fault) ? 1 : 0) });
  }
}

function wordsOfCounts(): string {
  return [...counts]
    .map(([kind, { planned, happened }]) => `${kind} ${String(happened)}/${String(planned)}`)
    .join(', ');
}

async function playAll(): Promise<Map<number, Verdict>> {
  const verdicts = new Map<number, Verdict>();
  let starting: Promise<Site> | undefined;
  // A site that is starting already has servers.
  const stop = () => void stopSite(starting).finally(() => process.exit(NOT_PLAYED));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, stop);
  let used = 0;
  for (let seed = first; seed < first + runs; seed += 1) {
    starting ??= startSite();
    used += 1;
    const verdict = await play(starting, seed);
    verdicts.set(seed, verdict);
    if (verdict !== 'holds' || used >= RUNS_PER_SITE) {
      await stopSite(starting);
      starting = undefined;
      used = 0;
    }
    if (verdict === 'broken' && values['until-broken']) break;
  }
  await stopSite(starting);
  return verdicts;
}

/** A site that could not be started has no servers, and play() has printed why. */
async function stopSite(starting: Promise<Site> | undefined): Promise<void> {
  const site = await starting?.catch(() => undefined);
  await site?.stop();
}

async function play(starting: Promise<Site>, seed: number): Promise<Verdict> {
  const run = `s${String(seed)}-${Date.now().toString(36)}`;
  const began_ms = performance.now();
  let on: Site | undefined;
  let report: RunReport;
  try {
    on = await starting;
    report = await runSeed(on, seed, { lengths: USUAL, recovery_max_ms, run });
  } catch (error) {
    const { stack, cause } = error as Error;
    print(`seed ${String(seed)}: the harness failed`, stack ?? '', cause instanceof Error ? (cause.stack ?? '') : '');
    if (on !== undefined) await keepLogs(on, seed, []);
    return 'not played';
  }
  count(report);
  print(`${summaryOf(report)}; ${((performance.now() - began_ms) / 1_000).toFixed(1)} s`);
  const lines = Object.entries(report.broken).flatMap(([check, texts]) => texts.map((text) => `  ${check}: ${text}`));
  if (lines.length === 0) {
    await on.restoreClocks();
    return 'holds';
  }
  print(...wordsOf(report.plan), ...lines.slice(0, LINES_MAX).map((line) => line.slice(0, LINE_MAX_CHARACTERS)));
  if (lines.length > LINES_MAX) print(`  and ${String(lines.length - LINES_MAX)} more, see plan.txt`);
  const about = [...wordsOf(report.plan), ...lines, JSON.stringify(Object.fromEntries(report.world.answers), null, 1)];
  await keepLogs(on, seed, about, report.history);
  return 'broken';
}

function summaryOf({ plan, world, recoveries, took_ms, broken }: RunReport): string {
  const times = Object.entries(recoveries).map(([what, ms]) => `${what} ${(ms / 1_000).toFixed(1)} s`);
  const kinds = plan.faults.map(({ kind }) => kind).join(', ');
  const done = world.written.filter(({ outcome }) => outcome.isDone === true).length;
  const verdict = Object.keys(broken).length === 0 ? 'holds' : 'BROKEN';
  return (
    `seed ${String(plan.seed)} ${verdict}: ${String(plan.people)} people, ${String(done)} of ${String(world.written.length)} ` +
    `writes done; ${kinds}; recovered: ${times.join(', ')}; checks ${(took_ms.checks / 1_000).toFixed(1)} s`
  );
}

async function keepLogs(on: Site, seed: number, lines: string[], history: Exchange[] = []): Promise<void> {
  const dir = resolve(values.logs, `seed-${String(seed)}`);
  await mkdir(dir, { recursive: true });
  await writeFile(join(dir, 'plan.txt'), lines.join('\n'));
  writeHistory(join(dir, 'history.ndjson'), history);
  await on.saveLogs(dir);
  print(`  logs: ${dir}`);
}

function print(...lines: string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`);
}
