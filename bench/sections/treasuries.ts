import { join } from 'node:path';
import pg from 'pg';
import type { Cluster, Member } from '../../test/support/cluster.ts';
import { startContender } from '../apparatus/contender.ts';
import type { RunningContender } from '../apparatus/contender.ts';
import { ContributionLoad, foundContributingGroup } from '../apparatus/contribution-load.ts';
import type { ContributingGroup } from '../apparatus/contribution-load.ts';
import { cpuSecondsOf, parentOf } from '../apparatus/cpu-time.ts';
import type { CpuSeconds, ProcessTrees } from '../apparatus/cpu-time.ts';
import type { LoadMoments } from '../apparatus/http-load.ts';
import { inTurn } from '../apparatus/in-turn.ts';
import { startLedgerServer } from '../apparatus/ledger-server.ts';
import { startServiceProcesses, treesOf } from '../apparatus/service-processes.ts';
import type { TransferCallsInput } from '../apparatus/transfer-calls.ts';
import type { Row } from '../report/row.ts';
import { median } from '../report/statistics.ts';
import type { Bench, Section } from '../section.ts';

const COUNTS = [1, 2, 4];

/** Each with a chain of its own, so that no chain's lock is what everything waits for. */
const GROUPS = 8;

const CONTRIBUTIONS_IN_FLIGHT = 32;
const TRANSFERS_IN_FLIGHT = 128;

/** For processes that have just been started. */
const WARM_UP_MS = 3_000;

const MS_PER_S = 1_000;

/** Cores' worth of CPU time that each process has used, by its name. */
type Shares = Record<string, number>;

/** What several treasury processes bring, and what the limit is: a share near 1 is a process that can do no more. */
export const treasuries: Section = {
  id: 'treasuries',
  title: 'one, two and four treasury processes, their database on a server of its own',
  async measure(bench) {
    const server = await startLedgerServer();
    try {
      const { url } = await server.database('apart');
      const processes = await startServiceProcesses({ TREASURY_DATABASE_URL: url });
      const { cluster } = processes;
      try {
        const groups: ContributingGroup[] = [];
        while (groups.length < GROUPS) groups.push(await foundContributingGroup(cluster));
        const load = await ContributionLoad.of(cluster, groups);
        const module = join(import.meta.dirname, '..', 'apparatus', 'transfer-calls.ts');
        const calls = await startContender(module, callsOf(cluster, groups));
        try {
          const treasury = new Treasury(cluster, await postmasterOf(url));
          return [
            ...(await measure(bench, treasury, contributing(load))),
            ...(await measure(bench, treasury, posting(calls))),
          ];
        } finally {
          await calls.stop();
        }
      } finally {
        await processes.stop();
      }
    } finally {
      await server.stop();
    }
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

function posting(calls: RunningContender): Work {
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
    await Promise.all(surplus.map((member) => member.terminate()));
  }

  async trees(): Promise<ProcessTrees> {
    return { ...(await treesOf(this.#cluster)), "treasury's postgres": this.#postmaster };
  }
}

async function measure(bench: Bench, treasury: Treasury, { id, what, run }: Work): Promise<Row[]> {
  bench.log(` ${what}`);
  const shares = new Map<number, Shares[]>(COUNTS.map((count) => [count, []]));
  const measured = await inTurn(
    bench,
    COUNTS.map((count) => ({
      name: nameOf(count),
      async before() {
        await treasury.runAs(count);
        await run(WARM_UP_MS);
      },
      async run(duration_ms: number) {
        const trees = await treasury.trees();
        let before: CpuSeconds = {};
        let after: CpuSeconds = {};
        const { count: operations, seconds } = await run(duration_ms, {
          began: async () => void (before = await cpuSecondsOf(trees)),
          ended: async () => void (after = await cpuSecondsOf(trees)),
        });
        shares.get(count)?.push(sharesOf(before, after, seconds));
        return operations / seconds;
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
    details: mediansOf(shares.get(count)?.slice(1) ?? []),
  }));
}

function nameOf(count: number): string {
  return count === 1 ? 'one treasury' : `${String(count)} treasuries`;
}

function sharesOf(before: CpuSeconds, after: CpuSeconds, seconds: number): Shares {
  return Object.fromEntries(
    Object.entries(after).map(([name, spent]) => [`${name}_cores`, (spent - (before[name] ?? 0)) / seconds]),
  );
}

function mediansOf(shares: Shares[]): Shares {
  const names = Object.keys(shares[0] ?? {});
  return Object.fromEntries(
    names.map((name) => [name, Number(median(shares.map((each) => each[name] ?? NaN)).toFixed(2))]),
  );
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
