/**
 * What the reads are held against: a moleculer-web route with nothing on it, whose alias calls an action that gives
 * the rows of one prepared statement. It looks at the same databases and answers with the same members. No token, no
 * checks, no limits, no cursors. Its processes are those of bare-route-process.ts.
 */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { defaultDatabaseName, withDatabase } from '../../lib/embedded/provision.ts';
import type { Cluster } from '../../test/harness/cluster.ts';
import { freePort } from '../../test/harness/free-port.ts';
import type { ProcessTrees } from '../apparatus/cpu-time.ts';
import { startForked } from '../apparatus/forked.ts';

const PROCESS = join(import.meta.dirname, 'bare-route-process.ts');

/** Both are small; a start that takes longer has failed. */
const START_TIMEOUT_MS = 20_000;
const POLL_MS = 20;

/** Each start has a namespace of its own, so that those of two layouts never share a call. */
let starts = 0;

export type BarePart = 'route' | 'rows';

/** What a process of the bare route is told when it starts. */
export interface BarePlan {
  parts: BarePart[];
  port: number;
  namespace: string;
  nats_url: string;
  databases: BareDatabases;
}

/** What it says once its broker has started. */
export interface BareReady {
  ready: true;
}

export interface BareDatabases {
  membership: string;
  contribution: string;
  treasury: string;
}

export interface BareRoute {
  origin: string;
  trees: ProcessTrees;
  stop(): Promise<void>;
}

/**
 * Starts the bare route on the servers of a cluster.
 * @param layout the parts that share a process
 */
export async function startBareRoute(cluster: Cluster, layout: BarePart[][]): Promise<BareRoute> {
  starts += 1;
  const port = await freePort();
  const shared = {
    port,
    namespace: `bare-${String(starts)}`,
    nats_url: cluster.natsUrl,
    databases: {
      membership: withDatabase(cluster.adminUrl, defaultDatabaseName('membership')),
      contribution: withDatabase(cluster.adminUrl, defaultDatabaseName('contribution')),
      treasury: withDatabase(cluster.adminUrl, defaultDatabaseName('treasury')),
    },
  };
  const origin = `http://127.0.0.1:${String(port)}`;
  await using processes = new AsyncDisposableStack();
  const trees: Record<string, number> = {};
  for (const parts of layout) {
    const name = parts.join('+');
    const { pid, stop } = await startForked<BarePlan, BareReady>(PROCESS, `the bare ${name}`, { ...shared, parts });
    processes.defer(stop);
    trees[name] = pid;
  }
  await untilAnswers(origin);
  const kept = processes.move();
  return { origin, trees, stop: () => kept.disposeAsync() };
}

/** The gateway knows of the other process only when that has said so over NATS. */
async function untilAnswers(origin: string): Promise<void> {
  for (const until = Date.now() + START_TIMEOUT_MS; ; await sleep(POLL_MS)) {
    const answer = await fetch(`${origin}/ready`).catch(() => undefined);
    if (answer?.ok === true) return;
    if (Date.now() > until) throw new Error(`The bare route gives ${String(answer?.status ?? 'no answer')}`);
  }
}
