import { closedLoop } from '../harness/closed-loop.ts';
import { ContributionLoad } from '../harness/contribution-load.ts';
import { cpuDuring, perOperation_us, type Moments } from '../harness/cpu-time.ts';
import { inTurn, type Measured, type Outcome } from '../harness/in-turn.ts';
import { startServiceProcesses, type ServiceProcesses } from '../harness/service-processes.ts';
import { foundSheetGroup, passCash, passSheet } from '../harness/sheet-load.ts';
import type { Load } from '../harness/worker.ts';
import type { Row } from '../report/row.ts';
import type { Section } from '../section.ts';

/**
 * One at a time, as a group has one sheet: several contributions at a time share statements, which makes each cheaper. And a
 * few at a time, as of several groups.
 */
const LEVELS = [8, 1];
const LEVEL_MAX = Math.max(...LEVELS);
/** More than the number in flight, so that no member has two concurrent payments in a round, and enough for the lines. */
const GROUP_SIZE = 26;
/** Until hot code is compiled in all processes; not measured. A sheet takes several times as long as a contribution. */
const WARM_UP_OF_SHEETS: Load = { in_flight: LEVEL_MAX, duration_ms: 20_000 };
const WARM_UP_OF_CASH: Load = { in_flight: LEVEL_MAX, duration_ms: 5_000 };
const WARM_UP_OF_CONTRIBUTIONS: Load = { in_flight: 128, duration_ms: 6_000 };

/** What is measured: runs for a round, and returns how many were done and how long each took. */
type Work = (load: Load, moments: Moments) => Promise<{ count: number; p50_ms: number }>;

/** A sheet of 25 lines, compared with one contribution from a wallet and with one in cash. */
export const sheets: Section = {
  id: 'sheets',
  title: 'Meeting sheets of 25 lines over HTTP: written, submitted, approved and posted',
  async measure(bench) {
    await using stack = new AsyncDisposableStack();
    const processes = stack.adopt(await startServiceProcesses(), (each) => each.stop());
    const group = await foundSheetGroup(processes.cluster, GROUP_SIZE, LEVEL_MAX);
    const contributions = await ContributionLoad.of(processes.cluster, group);
    const works = {
      sheet: onePerTransfer(
        processes,
        eachInTurn((number) => passSheet(group, number)),
      ),
      cash: eachInTurn((number) => passCash(group, number)),
      wallet: ((load, moments) => contributions.run(load, moments)) satisfies Work,
    };
    const run = (work: Work, load: Load) => measure(processes, work, load);
    bench.log(' warming up');
    await run(works.sheet, WARM_UP_OF_SHEETS);
    await run(works.cash, WARM_UP_OF_CASH);
    await run(works.wallet, WARM_UP_OF_CONTRIBUTIONS);
    const rows: Row[] = [];
    for (const in_flight of LEVELS) {
      bench.log(` ${String(in_flight)} in flight`);
      const contenders = Object.entries(works).map(([name, work]) => {
        return { name, run: (duration_ms: number) => run(work, { in_flight, duration_ms }) };
      });
      rows.push(...rowsOf(in_flight, await inTurn(bench, contenders)));
    }
    return rows;
  },
};

function eachInTurn(once: (number: number) => Promise<void>): Work {
  return async (load, { began, ended }) => {
    await began();
    const done = await closedLoop(load, once);
    await ended();
    return done;
  };
}

/** @throws unless each was posted by one transfer */
function onePerTransfer({ admin }: ServiceProcesses, work: Work): Work {
  const countTransfers = async () => {
    const { rows } = await admin('treasury').query<{ count: string }>('SELECT count(*) FROM transfers');
    return Number(rows[0]?.count);
  };
  return async (load, moments) => {
    const before = await countTransfers();
    const done = await work(load, moments);
    const transfers = (await countTransfers()) - before;
    if (transfers !== done.count) throw new Error(`${String(done.count)} sheets made ${String(transfers)} transfers`);
    return done;
  };
}

/** Returns the CPU time of all processes for each of what was done. */
async function measure(processes: ServiceProcesses, work: Work, load: Load): Promise<Outcome> {
  const { result, spent } = await cpuDuring(processes.trees, ({ began, ended }) =>
    work(load, {
      began,
      async ended() {
        // The events that the relays have not yet published belong to it.
        await processes.relaysAreDone();
        await ended();
      },
    }),
  );
  const cpu = perOperation_us(spent, result.count);
  const details = Object.fromEntries(Object.entries(cpu).map(([name, us]) => [`${name}_us`, us]));
  const figure = Object.values(cpu).reduce((sum, us) => sum + us, 0);
  return { figure, details: { count: result.count, p50_ms: result.p50_ms, ...details } };
}

function rowsOf(level: number, measured: Measured): Row[] {
  const row = (id: string, baseline: 'cash' | 'wallet', what: string): Row => ({
    id: `${id}.${String(level)}`,
    what: `CPU of a sheet, ${String(level)} in flight: five services, PostgreSQL, NATS`,
    unit: 'µs of CPU',
    ours: measured.spread('sheet'),
    baseline: { what, figure: measured.spread(baseline) },
    ratio: measured.ratio('sheet', baseline),
    goal: { of: 'ratio', at: 'most', value: 3 },
    details: { ...measured.details('sheet'), ...measured.details(baseline, `${baseline}_`) },
  });
  return [
    row('sheets.cpu', 'wallet', 'one contribution from a wallet'),
    row('sheets.cpu.cash', 'cash', 'one contribution in cash, recorded and approved'),
  ];
}
