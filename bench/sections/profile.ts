import { execFileSync } from 'node:child_process';
import { API_BASE } from '../../lib/contracts/api.ts';
import { BOARD_SIZE, fillMembership, fillWallets, groupOf } from '../harness/filled-group.ts';
import { pidsOf } from '../harness/cpu-time.ts';
import {
  httpLoad,
  REQUEST_NUMBER,
  type Answers,
  type LoadRequest,
  type LoadResult,
  type Phase,
} from '../harness/http-load.ts';
import { startServiceProcesses, type ServiceProcesses } from '../harness/service-processes.ts';
import type { Row, Unit } from '../report/row.ts';
import { spreadOf } from '../report/statistics.ts';
import type { Section } from '../section.ts';

/** An hour's profile in eleven minutes. */
const WARM_UP_S = 10;
const CAPACITY_S = 15;
const RAMP_STEP_S = 6;
/** At the measured capacity itself, the slightest disturbance is overload. */
const RAMP = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9];
const STEADY_S = 140;
const STEADY_SHARE = 0.7;
const SPIKE_S = 30;
const SPIKE_SHARE = 3;
const RECOVERY_S = 10;
/** Half of the soak. */
const SOAK_S = 170;

/** Beyond this number the throughput no longer rises. */
const IN_FLIGHT_AT_CAPACITY = 128;
/** More than the gateway accepts, so that it must refuse. */
const CONNECTIONS = 1_024;

const MEMBERS = 200;

/**
 * In the second half of the soak. Five processes whose heaps may each be collected a little later; 200 bytes that leak for each
 * request would be more.
 */
const GROWTH_MAX_MIB = 20;

/** A recovered second is at most this much slower than the steady state. */
const RECOVERED_RATIO = 2;

/** Statuses of reads and writes. */
const DONE = [200, 201];

/** Soon enough that a client does not wait for a refusal. */
const REFUSED_WITHIN_MS = 100;

/** Statuses of refusals that a client may repeat. */
const REFUSED = [429, 503];

const MS_PER_S = 1_000;
const KIB_PER_MIB = 1_024;

/** How the services behave from idle to three times their capacity, and afterwards. */
export const profile: Section = {
  id: 'profile',
  title: "An hour's load in eleven minutes: ramp, 70 %, spike to 300 %, soak; four reads and a deposit in turn",
  isOnRequest: true,
  async measure({ log }) {
    await using stack = new AsyncDisposableStack();
    const processes = stack.adopt(await startServiceProcesses(), (each) => each.stop());
    const load = await openLoad(processes);
    await load(undefined, WARM_UP_S, IN_FLIGHT_AT_CAPACITY);
    const capacity = await load(undefined, CAPACITY_S, IN_FLIGHT_AT_CAPACITY);
    const rate = capacity.count / capacity.seconds;
    log(` capacity ${rate.toFixed(0)} /s`);
    const upTo: LoadResult[] = [];
    for (const share of RAMP) upTo.push(await load(rate * share, RAMP_STEP_S));
    const steady = await load(rate * STEADY_SHARE, STEADY_S);
    const before_spike_mib = memoryOf(processes);
    log(` steady: p99 ${steady.p99_ms.toFixed(1)} ms`);
    // At once, as waiting for the last answers would already be a recovery.
    const afterwards = { per_second: rate * STEADY_SHARE, duration_ms: RECOVERY_S * MS_PER_S };
    const spike = await load(rate * SPIKE_SHARE, SPIKE_S, CONNECTIONS, [afterwards]);
    log(` spike: p99 of refusals ${spike.refused.p99_ms.toFixed(0)} ms`);
    const recovery_s = secondsUntilRecovered(spike.each_second.slice(SPIKE_S), steady);
    upTo.push(steady, await load(rate * STEADY_SHARE, SOAK_S));
    const before_mib = memoryOf(processes);
    upTo.push(await load(rate * STEADY_SHARE, SOAK_S));
    const after_mib = memoryOf(processes);
    isolateGateway(processes);
    const isolated = await load(undefined, CAPACITY_S, IN_FLIGHT_AT_CAPACITY);
    const isolated_rate = isolated.count / isolated.seconds;
    const isolated_spike = await load(isolated_rate * SPIKE_SHARE, SPIKE_S);
    return [
      figure('errors', 'errors up to 90 % of the capacity', '%', 100 * refusedShare(upTo), 0.1, {
        steady_p99_ms: steady.p99_ms,
      }),
      refusals('refusals', 'the gateway with a core of its own', isolated_rate, isolated_spike),
      refusals('refusals_shared', 'all processes and the load generator on the same cores', rate, spike),
      figure('recovery', 'until 70 % is served as before the spike', 's', recovery_s, 5),
      figure(
        'memory',
        'growth of all services in the second half of the soak',
        'MiB',
        after_mib - before_mib,
        GROWTH_MAX_MIB,
        {
          before_spike_mib,
          before_mib,
          after_mib,
        },
      ),
    ];
  },
};

function figure(id: string, what: string, unit: Unit, value: number, most: number, details = {}): Row {
  return {
    id: `profile.${id}`,
    what,
    unit,
    ours: spreadOf([value]),
    goal: { of: 'figure', at: 'most', value: most },
    details,
  };
}

function refusals(
  id: string,
  where: string,
  capacity_per_s: number,
  { refused, p99_ms, each_second }: LoadResult,
): Row {
  const spike = each_second.slice(0, SPIKE_S);
  const answered = spike.reduce((sum, { count }) => sum + count, 0);
  return figure(id, `p99 of refusals at 300 %, ${where}`, 'ms', refused.p99_ms, REFUSED_WITHIN_MS, {
    answered_per_s: answered / SPIKE_S,
    capacity_per_s,
    refused_share: refusedShare(spike),
    answered_p99_ms: p99_ms,
  });
}

/**
 * Leaves a core to the gateway, as on a machine of its own. Otherwise services that work at their capacity take its time, and
 * a refusal waits for a core, not for the gateway.
 */
function isolateGateway({ trees: { gateway, ...others } }: ServiceProcesses): void {
  const pin = (core: number, roots: number[]) => {
    for (const pid of roots.flatMap((root) => pidsOf(root))) {
      execFileSync('taskset', ['-a', '-c', '-p', String(core), String(pid)]);
    }
  };
  pin(0, [gateway!]);
  pin(1, Object.values(others));
}

type SendLoad = (
  per_second: number | undefined,
  seconds: number,
  in_flight?: number,
  then?: readonly Phase[],
) => Promise<LoadResult>;

/** Fills a group. @returns a function that reads it at a rate, or as fast as possible */
async function openLoad({ cluster, admin }: ServiceProcesses): Promise<SendLoad> {
  const group = groupOf(MEMBERS);
  await fillWallets(admin('treasury'), group.members);
  await fillMembership(admin('membership'), group);
  const bearer = (user: string, scope?: string) => ({
    authorization: `Bearer ${cluster.token(user, scope === undefined ? {} : { scope })}`,
  });
  const bank = { ...bearer('the-bank', 'wallets:fund'), 'content-type': 'application/json' };
  let phase = 0;
  const requests = () => {
    phase += 1;
    const reference = `phase ${String(phase)}, ${REQUEST_NUMBER}`;
    return group.members.slice(0, BOARD_SIZE).flatMap(({ user_id, wallet_id }): LoadRequest[] => {
      const reads = [
        '/associations/my',
        `/associations/${group.association_id}/members`,
        '/wallets/my',
        '/associations/my',
      ];
      const deposit = {
        path: `${API_BASE}/wallets/${wallet_id}/deposits`,
        body: JSON.stringify({ amount: 1, reference }),
      };
      return [
        ...reads.map((path) => ({ method: 'GET', path: API_BASE + path, headers: bearer(user_id) })),
        { method: 'POST', headers: bank, ...deposit },
      ];
    });
  };
  return (per_second, seconds, in_flight = CONNECTIONS, then = []) =>
    httpLoad({
      origin: cluster.origin,
      requests: requests(),
      cycle: true,
      expected: DONE,
      refused: REFUSED,
      in_flight,
      duration_ms: seconds * MS_PER_S,
      then,
      ...(per_second === undefined ? {} : { per_second }),
    });
}

const refusedShare = (results: readonly Answers[]): number => {
  const refused = results.reduce((sum, each) => sum + each.refused.count, 0);
  return refused / results.reduce((sum, each) => sum + each.count + each.refused.count, 0);
};

/**
 * Returns after how many seconds of the load that follows the spike nothing is refused any more, and the latency is as before; one
 * more than there are if never.
 */
function secondsUntilRecovered(after: readonly Answers[], steady: LoadResult): number {
  const last = after.findLastIndex(({ refused }) => refused.count > 0);
  const isRecovered = ({ p99_ms }: Answers, second: number) =>
    second > last && p99_ms <= steady.p99_ms * RECOVERED_RATIO;
  const first = after.findIndex(isRecovered);
  return first < 0 ? after.length + 1 : first + 1;
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
