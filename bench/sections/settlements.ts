import { cpuDuring, perOperation_us } from '../harness/cpu-time.ts';
import { fillGroups, fillRounds, plainSite, serviceSite } from '../harness/groups-to-settle.ts';
import type { SettlementSite, ToSettle } from '../harness/groups-to-settle.ts';
import { inTurn, type Contender } from '../harness/in-turn.ts';
import { startServiceProcesses, type ServiceProcesses } from '../harness/service-processes.ts';
import type { Row } from '../report/row.ts';
import type { Section } from '../section.ts';

/** Numbers of hands, and of the consecutive settlements of which a figure is the mean. */
const SIZES = [
  { hands: 10, count: 20 },
  { hands: 100, count: 10 },
  { hands: 1_000, count: 3 },
  { hands: 10_000, count: 1 },
] as const;

/** Warm-up until hot code is compiled: the time for 1 000 hands decreases by a third over the first 30 settlements. */
const WARM_UP = { hands: 1_000, count: 3, rounds: 10 } as const;

const US_PER_MS = 1_000;

export const settlements: Section = {
  id: 'settlements',
  title: 'Settling the last round of a cycle of savings, which pays every hand',
  async measure(bench) {
    await using stack = new AsyncDisposableStack();
    const processes = stack.adopt(await startServiceProcesses(), (each) => each.stop());
    const ours = stack.adopt(await serviceSite(processes), (each) => each.stop());
    const plain = stack.adopt(await plainSite(processes), (each) => each.stop());
    bench.log(' warming up');
    for (const site of [ours, plain]) {
      const groups = await fillGroups(site, WARM_UP.count, WARM_UP.hands);
      for (let round = 1; round <= WARM_UP.rounds; round += 1) {
        for (const each of await fillRounds(site, groups)) await site.settle(each);
      }
    }
    const rows: Row[] = [];
    for (const { hands, count } of SIZES) {
      bench.log(` ${String(hands)} hands`);
      const measured = await inTurn(bench, [
        await contenderOf('ours', ours, processes, { hands, count }),
        await contenderOf('plain', plain, processes, { hands, count }),
      ]);
      rows.push({
        id: `settlements.${String(hands)}`,
        what: `settle ${String(hands)} hands, services in five processes`,
        unit: 'ms',
        ours: measured.spread('ours'),
        baseline: { what: 'one plain SQL transaction', figure: measured.spread('plain') },
        ratio: measured.ratio('ours', 'plain'),
        // The services may take half as long again, because they commit in two databases one after another, store each
        // step before it is executed, and call each other.
        goal: { of: 'ratio', at: 'most', value: 1.5 },
        details: measured.details('ours', 'cpu_'),
      });
    }
    return rows;
  },
};

/** Creates a contender that measures the milliseconds of a settlement; rounds are filled before the clock starts. */
async function contenderOf(
  name: string,
  site: SettlementSite,
  processes: ServiceProcesses,
  { hands, count }: { hands: number; count: number },
): Promise<Contender> {
  const groups = await fillGroups(site, count, hands);
  let rounds: ToSettle[] = [];
  return {
    name,
    async before() {
      rounds = await fillRounds(site, groups);
      await processes.relaysAreDone();
    },
    async run() {
      const { result: took_ms, spent } = await cpuDuring(processes.trees, async () => {
        const began_ms = performance.now();
        for (const round of rounds) await site.settle(round);
        return performance.now() - began_ms;
      });
      const cpu = Object.entries(perOperation_us(spent, rounds.length));
      const details = Object.fromEntries(cpu.map(([process, us]) => [`${process}_ms`, us / US_PER_MS]));
      return { figure: took_ms / rounds.length, details };
    },
  };
}
