import { join } from 'node:path';
import pg from 'pg';
import type { Cluster, Member } from '../../test/harness/cluster.ts';
import { ContributionLoad, foundContributingGroup } from '../apparatus/contribution-load.ts';
import type { ContributingGroup } from '../apparatus/contribution-load.ts';
import { cpuDuring, parentOf } from '../apparatus/cpu-time.ts';
import type { CpuSeconds, ProcessTrees } from '../apparatus/cpu-time.ts';
import type { LoadMoments } from '../apparatus/http-load.ts';
import { inTurn } from '../apparatus/in-turn.ts';
import { startLedgerServer } from '../apparatus/ledger-server.ts';
import { startServiceProcesses, treesOf } from '../apparatus/service-processes.ts';
import type { TransferCallsInput } from '../apparatus/transfer-calls.ts';
import { startWorker } from '../apparatus/worker.ts';
import type { RunningWorker } from '../apparatus/worker.ts';
import type { Row } from '../report/row.ts';
import type { Bench, Section } from '../section.ts';

const COUNTS = [1, 2, 4];

/**
 * Each with a chain of its own, so that no chain's lock is what everything waits for; so many that their hashes nearly
 * always give each of four processes some.
 */
const GROUPS = 24;

const CONTRIBUTIONS_IN_FLIGHT = 32;
const TRANSFERS_IN_FLIGHT = 128;

/** For processes that have just been started. */
const WARM_UP_MS = 3_000;

const MS_PER_S = 1_000;

/**
 * One that idles uses a hundredth of a core; four that share the contributions evenly, some 0.07 each on two cores that
 * are busy, and several times as much with transfers.
 */
const SHARE_LEAST_CORES = 0.03;
const TREASURY_SHARE = /^treasury( \d+)?_cores$/;

/** Cores' worth of CPU time that each process has used, by its name. */
type Shares = Record<string, number>;

/** What several treasury processes bring, and what the limit is: a share near 1 is a process that can do no more. */
export const treasuries: Section = {
  id: 'treasuries',
  title: 'one, two and four treasury processes, their database on a server of its own',
  async measure(bench) {
    await using stack = new AsyncDisposableStack();
    const server = stack.adopt(await startLedgerServer(), (each) => each.stop());
    const { url } = await server.database('apart');
    const started = await startServiceProcesses({ TREASURY_DATABASE_URL: url });
    const { cluster } = stack.adopt(started, (each) => each.stop());
    const groups: ContributingGroup[] = [];
    while (groups.length < GROUPS) groups.push(await foundContributingGroup(cluster));
    const load = await ContributionLoad.of(cluster, groups);
    const module = join(import.meta.dirname, '..', 'apparatus', 'transfer-calls.ts');
    const calls = stack.adopt(await startWorker(module, callsOf(cluster, groups)), (worker) => worker.stop());
    const treasury = new Treasury(cluster, await postmasterOf(url));
    return [
      ...(await measure(bench, treasury, contributing(load))),
      ...(await measure(bench, treasury, posting(calls))),
    ];
  },
};

/** One kind of work. */
interface Work {
  id: string;
  what: string;
  run: (duration_ms: number, moments?: LoadMoments) => Promise<{ count: number; seconds: number }>;
}

function contributing(load: ContributionLoad): Work {
  const run: Work['run'] = (duration_ms, moments) => load.run(CONTRIBUTIONS_IN_FLIGHT, duration_ms, moments);
  const what = `contributions of ${String(GROUPS)} associations, ${String(CONTRIBUTIONS_IN_FLIGHT)} in flight`;
  return { id: 'contributions', what, run };
}

function posting(calls: RunningWorker): Work {
  const run: Work['run'] = async (duration_ms, moments) => {
    await moments?.began?.();
    const began_ms = performance.now();
    const count = await calls.run(duration_ms, TRANSFERS_IN_FLIGHT);
    const seconds = (performance.now() - began_ms) / MS_PER_S;
    await moments?.ended?.();
    return { count, seconds };
  };
  const what = `calls of treasury.transfer, ${String(GROUPS)} chains, ${String(TRANSFERS_IN_FLIGHT)} in flight`;
  return { id: 'transfers', what, run };
}

/** The processes that run the treasury, as many as are wanted. */
class Treasury {
  readonly #cluster: Cluster;
  readonly #postmaster: number;
  #more: Member[] = [];

  constructor(cluster: Cluster, postmaster: number) {
    this.#cluster = cluster;
    this.#postmaster = postmaster;
  }

  async runAs(count: number): Promise<void> {
    while (this.#more.length + 1 < count) this.#more.push(await this.#cluster.start(['treasury']));
    const surplus = this.#more.splice(count - 1);
    await Promise.all(surplus.map((member) => member.end()));
  }

  async trees(): Promise<ProcessTrees> {
    return { ...(await treesOf(this.#cluster)), "treasury's postgres": this.#postmaster };
  }
}

async function measure(bench: Bench, treasury: Treasury, { id, what, run }: Work): Promise<Row[]> {
  bench.log(` ${what}`);
  const measured = await inTurn(
    bench,
    COUNTS.map((count) => ({
      name: nameOf(count),
      async before() {
        await treasury.runAs(count);
        await run(WARM_UP_MS);
      },
      async run(duration_ms: number) {
        const { result, spent } = await cpuDuring(await treasury.trees(), (moments) => run(duration_ms, moments));
        const { count: operations, seconds } = result;
        const shares = sharesOf(spent, seconds);
        insistThatAllWork(shares);
        return { figure: operations / seconds, details: shares };
      },
    })),
  );
  return COUNTS.map((count): Row => ({
    id: `treasuries.${id}.${String(count)}`,
    what: `${what}: ${nameOf(count)}`,
    unit: '/s',
    ours: measured.spread(nameOf(count)),
    ...(count === 1
      ? {}
      : {
          beside: { what: nameOf(1), figure: measured.spread(nameOf(1)) },
          ratio: measured.ratio(nameOf(count), nameOf(1)),
        }),
    details: measured.details(nameOf(count)),
  }));
}

function nameOf(count: number): string {
  return count === 1 ? 'one treasury' : `${String(count)} treasuries`;
}

function sharesOf(spent: CpuSeconds, seconds: number): Shares {
  return Object.fromEntries(Object.entries(spent).map(([name, cpu]) => [`${name}_cores`, cpu / seconds]));
}

/** Which process an association's work goes to is decided by its hash, which may leave a process with none. */
function insistThatAllWork(shares: Shares): void {
  for (const [name, cores] of Object.entries(shares)) {
    if (!TREASURY_SHARE.test(name) || cores >= SHARE_LEAST_CORES) continue;
    throw new Error(
      `${name} ${cores.toFixed(3)}, less than ${String(SHARE_LEAST_CORES)}: the hash of ${String(GROUPS)} associations ` +
        'gave this treasury next to nothing to do, so that the row would measure fewer of them; run the section again',
    );
  }
}

function callsOf({ dataDir, natsUrl }: Cluster, groups: ContributingGroup[]): TransferCallsInput {
  const pools = groups.map(({ group, meeting_id }) => ({
    association_id: group.id,
    meeting_id,
    payers: group.members.map(({ user, member_id, wallet_id }) => ({ user_id: user, member_id, wallet_id })),
  }));
  return { dataDir, natsUrl, pools };
}

/** The server's first process: the parent of every backend. */
async function postmasterOf(url: string): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    return await parentOf(rows[0]?.pid ?? -1);
  } finally {
    await client.end();
  }
}
