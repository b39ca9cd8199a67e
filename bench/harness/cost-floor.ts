import { join } from 'node:path';
import { defaultDatabaseName } from '../../lib/embedded/provision.ts';
import { withDatabase } from '../../lib/config/server-urls.ts';
import { startBareNodes, type BareNodes } from '../baseline/bare-nodes.ts';
import type { PlainContributionInput } from '../baseline/plain-contribution.ts';
import type { CryptographyInput } from '../baseline/cryptography.ts';
import type { Cluster } from '../../test/harness/cluster.ts';
import { ContributionLoad, foundContributingGroup, type ContributingGroup } from './contribution-load.ts';
import { cpuDuring, perOperation_us, type ProcessTrees } from './cpu-time.ts';
import { httpLoad, type LoadRequest } from './http-load.ts';
import { startServiceProcesses } from './service-processes.ts';
import { startWorker, type Load, type RunningWorker } from './worker.ts';

/** The parts of the cost floor of a contribution, which are measured separately. */
export const PARTS = ['RSA decryption', 'token check', 'empty hops', 'plain SQL'] as const;
export type Part = (typeof PARTS)[number];

/** CPU microseconds of an operation, by process. */
export type PartCost = Record<string, number>;

export interface CostFloor {
  /** Measures one part. */
  cost(part: Part, load: Load): Promise<PartCost>;
  stop(): Promise<void>;
}

const BASELINE = join(import.meta.dirname, '..', 'baseline');

/** Enough that no ciphertext stays in a CPU cache. */
const CIPHERTEXTS = 256;

/** Long enough that each member contributes. */
const FIRST_CONTRIBUTIONS: Load = { in_flight: 8, duration_ms: 1_000 };

/**
 * Prepares all parts on separate servers. The services run there only to fill the databases with a group like the
 * measured one, and stop before the measurement.
 */
export async function startCostFloor(): Promise<CostFloor> {
  await using stack = new AsyncDisposableStack();
  const processes = stack.adopt(await startServiceProcesses(), (each) => each.stop());
  const { cluster, trees } = processes;
  const { postgres = -1, nats = -1 } = trees;
  const contributing = await foundContributingGroup(cluster);
  const load = await ContributionLoad.of(cluster, contributing);
  // The first contributions create the chain, the pool and the dues, so that they exist for the measured ones.
  await load.run(FIRST_CONTRIBUTIONS);
  await processes.relaysAreDone();
  await processes.stopServices();

  const { members } = contributing.group;
  const start = async (module: string, input: unknown): Promise<RunningWorker<Load, number>> =>
    stack.adopt(await startWorker<Load, number>(join(BASELINE, module), input), (worker) => worker.stop());
  const ciphertexts = Array.from({ length: CIPHERTEXTS }, () => load.encryptPin(members[0]!));
  const { dataDir } = cluster;
  const tokens = members.map(({ http }) => http.token);
  const rsa = await start('cryptography.ts', { dataDir, work: { ciphertexts } } satisfies CryptographyInput);
  const token = await start('cryptography.ts', { dataDir, work: { tokens } } satisfies CryptographyInput);
  const sql = await start('plain-contribution.ts', plainInput(cluster, contributing));
  const hops = stack.adopt(await startBareNodes(cluster, [['gateway'], ['a'], ['b'], ['c']]), (each) => each.stop());
  const costs: Record<Part, (load: Load) => Promise<PartCost>> = {
    'RSA decryption': costOf(rsa, {}),
    'token check': costOf(token, {}),
    'plain SQL': costOf(sql, { postgres, nats }),
    'empty hops': costOfHops(hops, nats, load.request(0)),
  };
  const running = stack.move();
  return { cost: (part, each) => costs[part](each), stop: () => running.disposeAsync() };
}

/** @param servers that work for the part, in addition to its own process */
function costOf(worker: RunningWorker<Load, number>, servers: ProcessTrees) {
  return async (load: Load): Promise<PartCost> => {
    const { result: operations, spent } = await cpuDuring({ process: worker.pid, ...servers }, () => worker.run(load));
    return perOperation_us(spent, operations);
  };
}

/** @param request the same as that of a contribution */
function costOfHops({ origin, trees }: BareNodes, nats: number, request: LoadRequest) {
  return async (load: Load): Promise<PartCost> => {
    const plan = { origin, ...load, requests: [request], cycle: true, expected: [200] };
    const { result, spent } = await cpuDuring({ ...trees, nats }, (moments) => httpLoad(plan, moments));
    return perOperation_us(spent, result.count);
  };
}

function plainInput({ adminUrl, natsUrl }: Cluster, { group, meeting_id }: ContributingGroup): PlainContributionInput {
  const urlOf = (service: keyof PlainContributionInput['databases']) =>
    withDatabase(adminUrl, defaultDatabaseName(service));
  const members = group.members.map(({ user, member_id, wallet_id }) => {
    return { user_id: user, member_id, wallet_id };
  });
  return {
    databases: { membership: urlOf('membership'), contribution: urlOf('contribution'), treasury: urlOf('treasury') },
    natsUrl,
    hot: { association_id: group.id, meeting_id, members },
  };
}
