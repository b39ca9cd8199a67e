import { join } from 'node:path';
import { defaultDatabaseName } from '../../lib/embedded/provision.ts';
import { withDatabase } from '../../lib/config/server-urls.ts';
import type { Cluster } from '../../test/harness/cluster.ts';
import { freePort } from '../../test/harness/free-port.ts';
import type { ProcessTrees } from '../harness/cpu-time.ts';
import { startWorker } from '../harness/worker.ts';

/** Minimal Moleculer services: a route to rows, and a gateway with three services that only answer. */
export type BarePart = 'route' | 'rows' | 'gateway' | 'a' | 'b' | 'c';

/** The input of the process of a node. */
export interface BareNodeInput {
  parts: BarePart[];
  port: number;
  namespace: string;
  natsUrl: string;
  databases: { membership: string; contribution: string; treasury: string };
}

export interface BareNodes {
  origin: string;
  trees: ProcessTrees;
  stop(): Promise<void>;
}

/** Each start has a separate namespace, so that two starts never share a call. */
let starts = 0;

/**
 * Starts bare services on the servers of a cluster.
 * @param layout the parts that share a process
 */
export async function startBareNodes(cluster: Cluster, layout: BarePart[][]): Promise<BareNodes> {
  starts += 1;
  const port = await freePort();
  const urlOf = (service: 'membership' | 'contribution' | 'treasury') =>
    withDatabase(cluster.adminUrl, defaultDatabaseName(service));
  const shared = {
    port,
    namespace: `bare-${String(starts)}`,
    natsUrl: cluster.natsUrl,
    databases: { membership: urlOf('membership'), contribution: urlOf('contribution'), treasury: urlOf('treasury') },
  };
  await using stack = new AsyncDisposableStack();
  const trees: Record<string, number> = {};
  await Promise.all(
    layout.map(async (parts) => {
      const input: BareNodeInput = { ...shared, parts };
      const node = stack.adopt(await startWorker(join(import.meta.dirname, 'bare-node.ts'), input), (each) =>
        each.stop(),
      );
      trees[parts.join('+')] = node.pid;
    }),
  );
  const running = stack.move();
  return { origin: `http://127.0.0.1:${String(port)}`, trees, stop: () => running.disposeAsync() };
}
