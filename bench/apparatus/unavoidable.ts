import { join } from 'node:path';
import { pinKeysFile } from '../../lib/config/secrets.ts';
import { readEndpoints } from '../../lib/embedded/endpoints.ts';
import { startEmptyHops } from '../beside/empty-hops.ts';
import type { EmptyHops } from '../beside/empty-hops.ts';
import type { PlainContributionInput } from '../beside/plain-contribution.ts';
import type { RsaOpeningInput } from '../beside/rsa-opening.ts';
import type { TokenCheckInput } from '../beside/token-check.ts';
import { ContributionLoad, foundContributingGroup } from './contribution-load.ts';
import type { ContributingGroup } from './contribution-load.ts';
import { cpuDuring, perOperation_us } from './cpu-time.ts';
import type { ProcessTrees } from './cpu-time.ts';
import { httpLoad } from './http-load.ts';
import type { LoadRequest } from './http-load.ts';
import { startServiceProcesses } from './service-processes.ts';
import type { ServiceProcesses } from './service-processes.ts';
import { startWorker } from './worker.ts';
import type { RunningWorker } from './worker.ts';

/** The parts of what a contribution cannot do without, each measured alone. */
export const PARTS = ['RSA decryption', 'token check', 'empty hops', 'plain SQL'] as const;
export type Part = (typeof PARTS)[number];

/** CPU microseconds of one operation, by whose they are. */
export type PartCost = Record<string, number>;

export interface Unavoidable {
  /** Measures one part alone for so long with so many in flight. */
  cost(part: Part, duration_ms: number, in_flight: number): Promise<PartCost>;
  stop(): Promise<void>;
}

const BESIDE = join(import.meta.dirname, '..', 'beside');

/** Enough that none stays in a cache that others would not have either. */
const CIPHERTEXTS = 256;

/** Long enough for each member to have contributed. */
const FIRST_MS = 1_000;
const FIRST_IN_FLIGHT = 8;

/**
 * Makes ready all that a contribution cannot do without, on servers of its own. The services run there only to fill
 * the databases with a group like the one that is measured, and end before anything is.
 */
export async function startUnavoidable(): Promise<Unavoidable> {
  await using stack = new AsyncDisposableStack();
  const processes = stack.adopt(await startServiceProcesses(), (each) => each.stop());
  const { cluster, trees } = processes;
  const { postgres = -1, nats = -1 } = trees;
  const contributing = await foundContributingGroup(cluster);
  const load = await ContributionLoad.of(cluster, [contributing]);
  // The first contributions open the chain, the pool and the dues, which those that are measured find there.
  await load.run(FIRST_IN_FLIGHT, FIRST_MS);
  await processes.relaysAreDone();
  await processes.stopServices();
  const kept = async (module: string, input: unknown): Promise<RunningWorker> =>
    stack.adopt(await startWorker(join(BESIDE, module), input), (worker) => worker.stop());
  const rsa = await kept('rsa-opening.ts', openingOf(cluster.dataDir, contributing, load));
  const token = await kept('token-check.ts', checkOf(cluster.dataDir, contributing));
  const sql = await kept('plain-contribution.ts', await plainOf(processes, contributing));
  const hops = stack.adopt(await startEmptyHops(cluster.natsUrl), (each) => each.stop());
  const costs: Record<Part, (duration_ms: number, in_flight: number) => Promise<PartCost>> = {
    'RSA decryption': costOf(rsa, {}),
    'token check': costOf(token, {}),
    'plain SQL': costOf(sql, { postgres, nats }),
    'empty hops': costOfHops(hops, nats, load.request(0)),
  };
  const running = stack.move();
  return {
    cost: (part, duration_ms, in_flight) => costs[part](duration_ms, in_flight),
    stop: () => running.disposeAsync(),
  };
}

/** @param servers which work for it, beside its own process */
function costOf(worker: RunningWorker, servers: ProcessTrees) {
  return async (duration_ms: number, in_flight: number): Promise<PartCost> => {
    const work = () => worker.run(duration_ms, in_flight);
    const { result: operations, spent } = await cpuDuring({ process: worker.pid, ...servers }, work);
    return perOperation_us(spent, operations);
  };
}

/** @param request just like that of a contribution */
function costOfHops({ origin, trees }: EmptyHops, nats: number, request: LoadRequest) {
  return async (duration_ms: number, in_flight: number): Promise<PartCost> => {
    const plan = { origin, in_flight, duration_ms, requests: [request], cycle: true, expected: [200] };
    const { result, spent } = await cpuDuring({ ...trees, nats }, (moments) => httpLoad(plan, moments));
    return perOperation_us(spent, result.count);
  };
}

function openingOf(dataDir: string, { group }: ContributingGroup, load: ContributionLoad): RsaOpeningInput {
  const ciphertexts = Array.from({ length: CIPHERTEXTS }, () => load.seal(group.members[0]!));
  return { keysFile: pinKeysFile(dataDir), ciphertexts };
}

function checkOf(dataDir: string, { group }: ContributingGroup): TokenCheckInput {
  return { dataDir, tokens: group.members.map((member) => member.http.token) };
}

async function plainOf(
  { cluster }: ServiceProcesses,
  { group, meeting_id }: ContributingGroup,
): Promise<PlainContributionInput> {
  const databases = (await readEndpoints(cluster.dataDir))?.databases;
  const urlOf = (service: 'membership' | 'contribution' | 'treasury') => {
    const url = databases?.[service]?.url;
    if (url === undefined) throw new Error(`There is no database of ${service}`);
    return url;
  };
  return {
    databases: {
      membership: urlOf('membership'),
      contribution: urlOf('contribution'),
      treasury: urlOf('treasury'),
    },
    natsUrl: cluster.natsUrl,
    dataDir: cluster.dataDir,
    association_id: group.id,
    meeting_id,
    payers: group.members.map(({ user, member_id, wallet_id }) => ({ user_id: user, member_id, wallet_id })),
  };
}
