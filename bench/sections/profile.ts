import { execFileSync } from 'node:child_process';
import { cpus } from 'node:os';
import { keptMib, reportsKeptMemory } from '../harness/kept-memory.ts';
import { pidsOf, residentMib } from '../harness/cpu-time.ts';
import type { Answers, LoadResult } from '../harness/http-load.ts';
import { openMixedLoad, type SendLoad } from '../harness/mixed-load.ts';
import { startServiceProcesses, type ServiceProcesses } from '../harness/service-processes.ts';
import type { Row, Unit } from '../report/row.ts';
import { spreadOf } from '../report/statistics.ts';
import type { Section } from '../section.ts';

/** An hour's profile in twelve minutes. */
const WARM_UP_S = 10;
const FASTEST_S = 15;
const TRIAL_S = 10;
const RAMP_STEP_S = 6;
/** At the measured capacity itself, the slightest disturbance is overload. */
const RAMP = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9];
const STEADY_S = 120;
const STEADY_SHARE = 0.7;
const SPIKE_S = 30;
const SPIKE_SHARE = 3;
const RECOVERY_S = 10;
const SOAK_S = 300;

/** Beyond this number the throughput no longer rises. */
const IN_FLIGHT_WHEN_FASTEST = 128;

/** Shares of the fastest rate that are tried, in this order, until one is too much. */
const TRIALS = [0.6, 0.7, 0.8, 0.9, 1];

/** Refusals up to the capacity, in percent. */
const REFUSED_MAX_PERCENT = 0.1;

/**
 * During the soak. What a process keeps fell and rose again by up to 5 MiB without a leak. If each of 190 000 requests left 50 bytes,
 * they would be 9 MiB.
 */
const GROWTH_MAX_MIB = 8;

/** A recovered second is at most this much slower than the steady state. */
const RECOVERED_RATIO = 2;

/** Soon enough that a client does not wait for a refusal. */
const REFUSED_WITHIN_MS = 100;

const MS_PER_S = 1_000;

/** How the services behave from idle to three times their capacity, and afterwards. */
export const profile: Section = {
  id: 'profile',
  title: "An hour's load in twelve minutes: ramp, 70 %, spike to 300 %, soak; four reads and a deposit in turn",
  isOnRequest: true,
  async measure({ log }) {
    await using stack = new AsyncDisposableStack();
    const processes = stack.adopt(await startServiceProcesses(reportsKeptMemory), (each) => each.stop());
    const load = await openMixedLoad(processes, log);
    await load(undefined, WARM_UP_S, IN_FLIGHT_WHEN_FASTEST);
    const capacity = await capacityOf(load);
    log(` capacity ${capacity.toFixed(0)} /s`);
    const upTo: LoadResult[] = [];
    for (const share of RAMP) upTo.push(await load(capacity * share, RAMP_STEP_S));
    const busy = cpuBusy();
    const steady = await load(capacity * STEADY_SHARE, STEADY_S);
    const steady_cpu_percent = busy();
    // At once, as waiting for the last answers would already be a recovery.
    const afterwards = { per_second: capacity * STEADY_SHARE, duration_ms: RECOVERY_S * MS_PER_S };
    const spike = await load(capacity * SPIKE_SHARE, SPIKE_S, undefined, [afterwards]);
    const recovery_s = secondsUntilRecovered(spike.each_second.slice(SPIKE_S), steady);
    // Measured again, as machines change their speed within minutes.
    const capacity_later = await capacityOf(load);
    log(` capacity ${capacity_later.toFixed(0)} /s`);
    const before = await memoryOf(processes);
    const soak = await load(capacity_later * STEADY_SHARE, SOAK_S);
    upTo.push(steady, soak);
    const after = await memoryOf(processes);
    isolateGateway(processes);
    const isolated = await rateWhenFastest(load);
    const isolated_spike = await load(isolated * SPIKE_SHARE, SPIKE_S);
    return [
      figure('errors', 'errors up to 90 % of the capacity', '%', 100 * refusedShare(upTo), REFUSED_MAX_PERCENT, {
        capacity_per_s: capacity,
        capacity_later_per_s: capacity_later,
        steady_p99_ms: steady.p99_ms,
        steady_cpu_percent,
      }),
      refusals('refusals', 'the gateway with a core of its own', isolated, isolated_spike),
      refusals('refusals_shared', 'all processes and the load generator on the same cores', capacity, spike),
      figure('recovery', 'until 70 % is served as before the spike', 's', recovery_s, 5),
      figure(
        'memory',
        'growth of what the services keep after a collection, in the soak',
        'MiB',
        after.kept_mib - before.kept_mib,
        GROWTH_MAX_MIB,
        {
          before_kept_mib: before.kept_mib,
          after_kept_mib: after.kept_mib,
          before_resident_mib: before.resident_mib,
          after_resident_mib: after.resident_mib,
          requests: soak.count,
        },
      ),
    ];
  },
};

/** Returns the rate at which a number of connections are served that are never idle. */
async function rateWhenFastest(load: SendLoad): Promise<number> {
  const { count, seconds } = await load(undefined, FASTEST_S, IN_FLIGHT_WHEN_FASTEST);
  return count / seconds;
}

/**
 * Returns the highest rate that is served. Connections that are never idle are served faster: their requests always come in large
 * batches, those that arrive at a rate do not.
 */
async function capacityOf(load: SendLoad): Promise<number> {
  const fastest = await rateWhenFastest(load);
  let served: number | undefined;
  for (const share of TRIALS) {
    const result = await load(fastest * share, TRIAL_S);
    if (100 * refusedShare([result]) > REFUSED_MAX_PERCENT) break;
    served = fastest * share;
  }
  if (served === undefined) throw new Error('Even the least rate that was tried is too much for this machine');
  return served;
}

/** @returns a function that returns how busy all cores were since this call, in percent */
function cpuBusy(): () => number {
  const times = () => {
    const all = cpus().map((core) => core.times);
    const total = all.reduce((sum, each) => sum + Object.values(each).reduce((a, b) => a + b, 0), 0);
    return { total, idle: all.reduce((sum, { idle }) => sum + idle, 0) };
  };
  const before = times();
  return () => {
    const after = times();
    return 100 * (1 - (after.idle - before.idle) / (after.total - before.total));
  };
}

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

/** Returns what the services keep after a collection of garbage, and then their resident memory. */
async function memoryOf({ cluster }: ServiceProcesses): Promise<{ kept_mib: number; resident_mib: number }> {
  const pids = cluster.members().map(({ pid }) => pid);
  const kept_mib = await keptMib(cluster.dataDir, pids);
  const resident_mib = pids.reduce((sum, pid) => sum + residentMib(pid), 0);
  return { kept_mib, resident_mib };
}
