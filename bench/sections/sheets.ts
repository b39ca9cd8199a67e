import { closedLoop } from '../harness/closed-loop.ts';
import { ContributionLoad } from '../harness/contribution-load.ts';
import { cpuDuring, perOperation_us } from '../harness/cpu-time.ts';
import { inTurn, type Outcome } from '../harness/in-turn.ts';
import { startServiceProcesses, type ServiceProcesses } from '../harness/service-processes.ts';
import { foundSheetGroup, passSheet, type SheetGroup } from '../harness/sheet-load.ts';
import type { Load } from '../harness/worker.ts';
import type { Section } from '../section.ts';

/** More than one, as in production; few, because each sheet holds what 25 contributions hold. */
const IN_FLIGHT = 8;
/** Twice the number in flight, so that no member has two concurrent payments, and enough for the lines. */
const GROUP_SIZE = 26;
/** Until hot code is compiled in all processes; not measured. A sheet takes many times as long as a contribution. */
const WARM_UP_OF_SHEETS: Load = { in_flight: IN_FLIGHT, duration_ms: 20_000 };
const WARM_UP_OF_CONTRIBUTIONS: Load = { in_flight: 128, duration_ms: 6_000 };

/** A sheet of 25 lines, compared with one contribution over HTTP. */
export const sheets: Section = {
  id: 'sheets',
  title: 'Meeting sheets of 25 lines over HTTP: written, submitted, approved and posted',
  async measure(bench) {
    await using stack = new AsyncDisposableStack();
    const processes = stack.adopt(await startServiceProcesses(), (each) => each.stop());
    const group = await foundSheetGroup(processes.cluster, GROUP_SIZE, IN_FLIGHT);
    const load = await ContributionLoad.of(processes.cluster, group);
    bench.log(' warming up');
    await runSheets(processes, group, WARM_UP_OF_SHEETS);
    await load.run(WARM_UP_OF_CONTRIBUTIONS);
    const measured = await inTurn(bench, [
      { name: 'sheets', run: (duration_ms) => runSheets(processes, group, { in_flight: IN_FLIGHT, duration_ms }) },
      { name: 'contributions', run: (duration_ms) => contribute(processes, load, duration_ms) },
    ]);
    return [
      {
        id: `sheets.cpu.${String(IN_FLIGHT)}`,
        what: `CPU of a sheet, ${String(IN_FLIGHT)} in flight: five services, PostgreSQL, NATS`,
        unit: 'µs of CPU',
        ours: measured.spread('sheets'),
        baseline: { what: 'one contribution from a wallet', figure: measured.spread('contributions') },
        ratio: measured.ratio('sheets', 'contributions'),
        goal: { of: 'ratio', at: 'most', value: 3 },
        details: { ...measured.details('sheets'), ...measured.details('contributions', 'contribution_') },
      },
    ];
  },
};

/** Passes sheets for a round. @throws unless each was posted by one transfer */
async function runSheets(processes: ServiceProcesses, group: SheetGroup, load: Load): Promise<Outcome> {
  const before = await countTransfers(processes);
  const { result, spent } = await cpuDuring(processes.trees, async ({ began, ended }) => {
    await began();
    const done = await closedLoop(load, (number) => passSheet(group, number));
    await processes.relaysAreDone();
    await ended();
    return done;
  });
  const transfers = (await countTransfers(processes)) - before;
  if (transfers !== result.count) throw new Error(`${String(result.count)} sheets made ${String(transfers)} transfers`);
  return outcomeOf(result.count, perOperation_us(spent, result.count), result.p50_ms);
}

async function countTransfers({ admin }: ServiceProcesses): Promise<number> {
  const { rows } = await admin('treasury').query<{ count: string }>('SELECT count(*) FROM transfers');
  return Number(rows[0]?.count);
}

async function contribute(processes: ServiceProcesses, load: ContributionLoad, duration_ms: number): Promise<Outcome> {
  const { result, spent } = await cpuDuring(processes.trees, ({ began, ended }) =>
    load.run(
      { in_flight: IN_FLIGHT, duration_ms },
      {
        began,
        async ended() {
          await processes.relaysAreDone();
          await ended();
        },
      },
    ),
  );
  return outcomeOf(result.count, perOperation_us(spent, result.count), result.p50_ms);
}

function outcomeOf(count: number, cpu: Record<string, number>, p50_ms: number): Outcome {
  const details = Object.fromEntries(Object.entries(cpu).map(([name, us]) => [`${name}_us`, us]));
  return { figure: Object.values(cpu).reduce((sum, us) => sum + us, 0), details: { count, p50_ms, ...details } };
}
