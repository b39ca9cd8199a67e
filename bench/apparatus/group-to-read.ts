import { API_BASE } from '../../lib/contracts/api.ts';
import { defaultDatabaseName, withDatabase } from '../../lib/embedded/provision.ts';
import type { Cluster } from '../../test/harness/cluster.ts';
import {
  BOARD_SIZE,
  DUE_MINOR,
  fillMembership,
  fillPaidRound,
  fillPool,
  fillWallets,
  groupOf,
} from './filled-group.ts';
import type { FilledGroup, FilledMember } from './filled-group.ts';
import type { LoadRequest } from './http-load.ts';
import type { ServiceProcesses } from './service-processes.ts';

const MEMBERS = 200;
const TRANSFERS = 2_000;

/** Each reader is in so many associations. */
const ASSOCIATIONS = 3;

/** One read as we answer it, and as the bare route does; those who read take turns. */
export interface Read {
  id: string;
  what: string;
  ours: LoadRequest[];
  bare: LoadRequest[];
}

/** Fills the databases with groups of the same people, and gives the reads that are to be measured. */
export async function fillGroupToRead(processes: ServiceProcesses): Promise<Read[]> {
  const { cluster } = processes;
  const group = groupOf(MEMBERS);
  await fillWallets(processes.admin('treasury'), group.members);
  await fillMembership(processes.admin('membership'), group);
  for (let others = 1; others < ASSOCIATIONS; others += 1) {
    await fillMembership(processes.admin('membership'), groupOf(MEMBERS, group.members));
  }
  const { meeting_id } = await fillPaidRound(processes.admin('contribution'), group);
  await fillPool(withDatabase(cluster.adminUrl, defaultDatabaseName('treasury')), group, payments(group, meeting_id));
  // As autovacuum would have done by the time that anybody reads.
  for (const service of ['membership', 'contribution', 'treasury'] as const)
    await processes.admin(service).query('VACUUM ANALYZE');
  return readsOf(cluster, group, meeting_id);
}

function payments({ members }: FilledGroup, meeting_id: string) {
  return Array.from({ length: TRANSFERS }, (_, index) => {
    const payer = members[index % members.length] as FilledMember;
    return { meeting_id, payer, amount_minor: DUE_MINOR };
  });
}

function readsOf(cluster: Cluster, { association_id, members }: FilledGroup, meeting_id: string): Read[] {
  // The bare route shows everyone where members are paid; so do we to the board.
  const readers = members.slice(0, BOARD_SIZE).map(({ user_id }) => ({ user_id, token: cluster.token(user_id) }));
  const read = (id: string, what: string, path: string, bareQuery: (user_id: string) => string = () => ''): Read => ({
    ...{ id, what },
    ours: readers.map(({ token }) => get(`${API_BASE}${path}`, { authorization: `Bearer ${token}` })),
    bare: readers.map(({ user_id }) => get(`${path}${bareQuery(user_id)}`, {})),
  });
  const path = `/associations/${association_id}`;
  const rows = 'a page of 50';
  return [
    read('my', `my ${String(ASSOCIATIONS)} associations`, '/associations/my', (user_id) => `?user_id=${user_id}`),
    read('members', `members, ${rows} of ${String(MEMBERS)}`, `${path}/members`),
    read('ledger', `ledger, ${rows} of ${String(TRANSFERS)}`, `${path}/ledger`),
    read('dues', `dues of a meeting, ${rows} of ${String(MEMBERS)}`, `${path}/meetings/${meeting_id}/dues`),
  ];
}

function get(path: string, headers: Record<string, string>): LoadRequest {
  return { method: 'GET', path, headers };
}
