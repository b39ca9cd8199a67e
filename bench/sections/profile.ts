import { execFileSync } from 'node:child_process';
import { API_BASE } from '../../lib/contracts/api.ts';
import { BOARD_SIZE, fillMembership, fillWallets, groupOf } from '../harness/filled-group.ts';
import { httpLoad, type LoadRequest, type LoadResult } from '../harness/http-load.ts';
import { startServiceProcesses, type ServiceProcesses } from '../harness/service-processes.ts';
import type { Row, Unit } from '../report/row.ts';
import { spreadOf } from '../report/statistics.ts';
import type { Section } from '../section.ts';

/** An hour's profile in ten minutes. */
const CAPACITY_S = 15;
const RAMP_STEP_S = 6;
const RAMP = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7];
const STEADY_S = 150;
const STEADY_SHARE = 0.7;
const SPIKE_S = 30;
const SPIKE_SHARE = 3;
const RECOVERY_S = 10;
const SOAK_S = 340;

/** Beyond this number the throughput no longer rises. */
const IN_FLIGHT_AT_CAPACITY = 128;
/** More than the gateway accepts, so that it must refuse. */
const CONNECTIONS = 1_024;

const MEMBERS = 200;

/** Five processes whose heaps may each be collected a little later; a leak in ten minutes of load is much larger. */
const GROWTH_MAX_MIB = 50;

/** A recovered second is at most this much slower than the steady state. */
const RECOVERED_RATIO = 2;

/** Statuses of refusals that a client may repeat. */
const REFUSED = [429, 503];

const MS_PER_S = 1_000;
const KIB_PER_MIB = 1_024;

/** How the services behave from idle to three times their capacity, and afterwards. */
export const profile: Section = {
  id: 'profile',
  title: "An hour's load in ten minutes: ramp, 70 %, spike to 300 %, soak; reads of associations and members",
  isOnRequest: true,
  async measure({ log }) {
    await using stack = new AsyncDisposableStack();
    const processes = stack.adopt(await startServiceProcesses(), (each) => each.stop());
    const load = await openLoad(processes);
    const capacity = await load(undefined, CAPACITY_S, IN_FLIGHT_AT_CAPACITY);
    const rate = capacity.count / capacity.seconds;
    log(` capacity ${rate.toFixed(0)} /s`);
    const upTo: LoadResult[] = [];
    for (const share of RAMP) upTo.push(await load(rate * share, RAMP_STEP_S));
    const steady = await load(rate * STEADY_SHARE, STEADY_S);
    const before_mib = memoryOf(processes);
    log(` steady: p99 ${steady.p99_ms.toFixed(1)} ms`);
    const spike = await load(rate * SPIKE_SHARE, SPIKE_S);
    log(` spike: ${String(spike.count)} answered, ${String(spike.refused.count)} refused`);
    const recovery_s = await secondsUntilRecovered((seconds) => load(rate * STEADY_SHARE, seconds), steady);
    const soak = await load(rate * STEADY_SHARE, SOAK_S);
    const growth_mib = memoryOf(processes) - before_mib;
    upTo.push(steady, soak);
    const figure = (id: string, what: string, unit: Unit, value: number, most: number, details = {}): Row => {
      const goal = { of: 'figure', at: 'most', value: most } as const;
      return { id: `profile.${id}`, what, unit, ours: spreadOf([value]), goal, details };
    };
    return [
      figure('errors', 'errors up to capacity', '%', 100 * refusedShare(upTo), 0.1, { steady_p99_ms: steady.p99_ms }),
      figure('refusals', 'p99 of refusals at 300 %', 'ms', spike.refused.p99_ms, 100, {
        answered_per_s: spike.count / spike.seconds,
        capacity_per_s: rate,
        refused_share: refusedShare([spike]),
        answered_p99_ms: spike.p99_ms,
      }),
      figure('recovery', 'until 70 % is served as before the spike', 's', recovery_s, 5),
      figure('memory', 'growth of all services in the spike and the soak', 'MiB', growth_mib, GROWTH_MAX_MIB),
    ];
  },
};

type SendLoad = (per_second: number | undefined, seconds: number, in_flight?: number) => Promise<LoadResult>;

/** Fills a group. @returns a function that reads it at a rate, or as fast as possible */
async function openLoad({ cluster, admin }: ServiceProcesses): Promise<SendLoad> {
  const group = groupOf(MEMBERS);
  await fillWallets(admin('treasury'), group.members);
  await fillMembership(admin('membership'), group);
  const requests = group.members.slice(0, BOARD_SIZE).flatMap(({ user_id }): LoadRequest[] => {
    const headers = { authorization: `Bearer ${cluster.token(user_id)}` };
    const paths = ['/associations/my', `/associations/${group.association_id}/members`];
    return paths.map((path) => ({ method: 'GET', path: API_BASE + path, headers }));
  });
  const plan = { origin: cluster.origin, requests, cycle: true, expected: 200, refused: REFUSED };
  return (per_second, seconds, in_flight = CONNECTIONS) =>
    httpLoad({
      ...plan,
      in_flight,
      duration_ms: seconds * MS_PER_S,
      ...(per_second === undefined ? {} : { per_second }),
    });
}

const refusedShare = (results: readonly LoadResult[]): number => {
  const refused = results.reduce((sum, each) => sum + each.refused.count, 0);
  return refused / results.reduce((sum, each) => sum + each.count + each.refused.count, 0);
};

/** Returns the second after the spike in which nothing is refused and the latency is as before; more than RECOVERY_S if none is. */
async function secondsUntilRecovered(
  load: (seconds: number) => Promise<LoadResult>,
  steady: LoadResult,
): Promise<number> {
  for (let second = 1; second <= RECOVERY_S; second += 1) {
    const { refused, p99_ms } = await load(1);
    if (refused.count === 0 && p99_ms <= steady.p99_ms * RECOVERED_RATIO) return second;
  }
  return RECOVERY_S + 1;
}

/** Returns the resident memory of all services. */
function memoryOf({ cluster }: ServiceProcesses): number {
  const pids = cluster.members().map(({ pid }) => String(pid));
  const sizes = execFileSync('ps', ['-o', 'rss=', '-p', pids.join(',')], { encoding: 'utf8' });
  return (
    sizes
      .trim()
      .split('\n')
      .reduce((sum, kib) => sum + Number(kib), 0) / KIB_PER_MIB
  );
}
