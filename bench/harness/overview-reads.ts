import { API_BASE } from '../../lib/contracts/api.ts';
import type { Row, Unit } from '../report/row.ts';
import type { Bench } from '../section.ts';
import { cpuDuring, perOperation_us, type ProcessTrees } from './cpu-time.ts';
import { BOARD_SIZE, fillMembership, fillPaidRound, fillRotation, fillWallets, groupOf } from './filled-group.ts';
import { httpLoad, type LoadRequest } from './http-load.ts';
import { inTurn, type Contender, type Outcome } from './in-turn.ts';
import type { ServiceProcesses } from './service-processes.ts';

const GROUPS = 10;
const MEMBERS = 12;
const IN_FLIGHT = 32;

/**
 * Groups of others, and as many that have paid a round: with small tables, PostgreSQL would read all rows instead of a few by
 * their keys.
 */
const OTHER_GROUPS = 500;

/** The same readers' requests for their overview, and for their associations, with which it is compared. */
export interface OverviewReads {
  overview: LoadRequest[];
  my: LoadRequest[];
}

/** Writes groups of the same members whose cycles have just begun, so that each member owes every round. */
export async function fillOverviews({ cluster, admin }: ServiceProcesses): Promise<OverviewReads> {
  const { members } = groupOf(MEMBERS);
  await fillWallets(admin('treasury'), members);
  for (let filled = 0; filled < GROUPS + OTHER_GROUPS; filled += 1) {
    const group = groupOf(MEMBERS, filled < GROUPS ? members : undefined);
    await fillMembership(admin('membership'), group);
    await fillRotation(admin('contribution'), group);
    if (filled >= GROUPS) await fillPaidRound(admin('contribution'), groupOf(MEMBERS));
  }
  // In production, autovacuum does this before the first read.
  for (const service of ['membership', 'contribution', 'treasury', 'governance'] as const)
    await admin(service).query('VACUUM ANALYZE');
  // Those of the board also have votes to cast, so that their overviews ask every service.
  const reads = (path: string) =>
    members.slice(0, BOARD_SIZE).map(({ user_id }) => {
      const headers = { authorization: `Bearer ${cluster.token(user_id)}` };
      return { method: 'GET', path: `${API_BASE}${path}`, headers };
    });
  return { overview: reads('/me/overview'), my: reads('/associations/my') };
}

/** The processes that answer. */
interface Layout {
  id: string;
  what: string;
  origin: string;
  trees: ProcessTrees;
}

/** Measures what an overview costs, compared with the list of the same associations. */
export async function measureOverview(bench: Bench, reads: OverviewReads, layout: Layout): Promise<Row[]> {
  const { id, what, origin, trees } = layout;
  const rowOf = async (kind: string, unit: Unit, how: string, run: Measure): Promise<Row> => {
    bench.log(` overview, ${kind}, ${what}`);
    const contender = (name: keyof OverviewReads): Contender => ({
      name,
      run: (duration_ms) => run({ origin, duration_ms, requests: reads[name], cycle: true, expected: [200] }),
    });
    const measured = await inTurn(bench, [contender('overview'), contender('my')]);
    return {
      id: `reads.${id}.overview_${kind}`,
      what: `overview of ${String(GROUPS)} groups: ${what}, ${how}`,
      unit,
      ours: measured.spread('overview'),
      baseline: { what: `my ${String(GROUPS)} associations`, figure: measured.spread('my') },
      ratio: measured.ratio('overview', 'my'),
      goal: { of: 'ratio', at: 'most', value: 2 },
      details: { ...measured.details('overview'), ...measured.details('my', 'my_') },
    };
  };
  return [
    await rowOf('cpu', 'µs of CPU', `${String(IN_FLIGHT)} in flight`, async (plan) => {
      const work = { ...plan, in_flight: IN_FLIGHT };
      const { result, spent } = await cpuDuring(trees, (moments) => httpLoad(work, moments));
      const cpu = Object.entries(perOperation_us(spent, result.count));
      const details = Object.fromEntries(cpu.map(([process, us]) => [`cpu_${process}_us`, us]));
      const { p50_ms, p99_ms, count, seconds } = result;
      return {
        figure: cpu.reduce((sum, [, us]) => sum + us, 0),
        details: { ...details, p50_ms, p99_ms, rate_per_s: count / seconds },
      };
    }),
    await rowOf('latency', 'ms', 'p50 with 1 in flight', async (plan) => {
      const { p50_ms, p99_ms } = await httpLoad({ ...plan, in_flight: 1 });
      return { figure: p50_ms, details: { p99_ms } };
    }),
  ];
}

type Measure = (plan: Omit<Parameters<typeof httpLoad>[0], 'in_flight'>) => Promise<Outcome>;
