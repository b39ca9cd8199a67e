import { ContributionLoad, foundContributingGroup } from '../apparatus/contribution-load.ts';
import { fillContributions } from '../apparatus/fill-contributions.ts';
import { inTurn } from '../apparatus/in-turn.ts';
import type { Contender } from '../apparatus/in-turn.ts';
import { startServiceProcesses } from '../apparatus/service-processes.ts';
import type { ServiceProcesses } from '../apparatus/service-processes.ts';
import type { Goal, Row } from '../report/row.ts';
import type { Bench, Section } from '../section.ts';

const MILLION = 1_000_000;
const IN_FLIGHT = 32;
const GOAL: Goal = { of: 'ratio', at: 'least', value: 0.9 };

/** Until hot code is compiled; counts for nothing. */
const WARM_UP_MS = 4_000;

const EMPTY = 'empty';

/** Contributions when there is a history, beside the same without one. */
export const growthOfContributions: Section = {
  id: 'growth-of-contributions',
  title: 'Growth: contributions over HTTP with contributions already there',
  async measure(bench) {
    const rows: Row[] = [];
    for (const count of [10_000, MILLION, ...(bench.tenMillion ? [10 * MILLION] : [])]) {
      rows.push(await measureGrown(bench, count));
    }
    return rows;
  },
};

/** Both clusters are new, so that one has had as many contributions measured as the other. */
async function measureGrown(bench: Bench, count: number): Promise<Row> {
  await using stack = new AsyncDisposableStack();
  const started = async () => stack.adopt(await startServiceProcesses(), (processes) => processes.stop());
  const [empty, grown] = [await started(), await started()];
  bench.log(` filling in ${String(count)} contributions`);
  await fillContributions(grown, count);
  const name = `${String(count)} there`;
  const { spread, ratio } = await inTurn(bench, [await contenderOn(grown, name), await contenderOn(empty, EMPTY)]);
  return {
    id: `growth.contributions.${String(count)}`,
    what: `contributions with ${name}, ${String(IN_FLIGHT)} in flight`,
    unit: '/s',
    ours: spread(name),
    beside: { what: EMPTY, figure: spread(EMPTY) },
    ratio: ratio(name, EMPTY),
    goal: GOAL,
  };
}

async function contenderOn(processes: ServiceProcesses, name: string): Promise<Contender> {
  const load = await ContributionLoad.of(processes.cluster, [await foundContributingGroup(processes.cluster)]);
  await load.run(IN_FLIGHT, WARM_UP_MS);
  return {
    name,
    // What the relays still had to do would be in the other's way.
    before: () => processes.relaysAreDone(),
    async run(duration_ms) {
      const { count, seconds } = await load.run(IN_FLIGHT, duration_ms);
      await processes.relaysAreDone();
      return { figure: count / seconds };
    },
  };
}
