import { isDeepStrictEqual } from 'node:util';
import { uuidv7 } from 'uuidv7';
import { SERVICES } from '../../lib/config/service-names.ts';
import { API_BASE } from '../../lib/contracts/api.ts';
import { defaultDatabaseName } from '../../lib/embedded/provision.ts';
import { withDatabase } from '../../lib/config/server-urls.ts';
import type { Cluster } from '../../test/harness/cluster.ts';
import { startBareNodes, type BareNodes } from '../baseline/bare-nodes.ts';
import { cpuDuring, perOperation_us, type ProcessTrees } from '../harness/cpu-time.ts';
import { BOARD_SIZE, DUE_MINOR, fillMembership, fillPaidRound, fillWallets, groupOf } from '../harness/filled-group.ts';
import type { FilledGroup } from '../harness/filled-group.ts';
import { openWriter } from '../harness/hot-ledger.ts';
import { httpLoad, type LoadRequest } from '../harness/http-load.ts';
import { inTurn, type Contender } from '../harness/in-turn.ts';
import { fillOverviews, measureOverview, type OverviewReads } from '../harness/overview-reads.ts';
import { serversOf, startServiceProcesses, type ServiceProcesses } from '../harness/service-processes.ts';
import type { Row } from '../report/row.ts';
import type { Bench, Section } from '../section.ts';

const IN_FLIGHT = 32;
const MEMBERS = 200;
const TRANSFERS = 2_000;

/** Number of associations of each reader. */
const ASSOCIATIONS = 3;

/** Reads compared with the same rows behind a bare route. */
export const reads: Section = {
  id: 'reads',
  title: 'Reads over HTTP, 32 in flight',
  async measure(bench) {
    await using stack = new AsyncDisposableStack();
    const processes = stack.adopt(await startServiceProcesses(), (each) => each.stop());
    const { cluster, trees } = processes;
    const { origin } = cluster;
    const all = await fillGroupToRead(processes);
    const overviews = await fillOverviews(processes);
    const bareApart = stack.adopt(await startBareNodes(cluster, [['route'], ['rows']]), (each) => each.stop());
    const apart = { id: 'apart', what: 'five processes', bareWhat: 'bare route, two processes' };
    const rows = await measureLayout(bench, all, overviews, { ...apart, origin, trees, bare: bareApart });

    await processes.stopServices();
    const { pid } = await cluster.start([...SERVICES]);
    await cluster.ready();
    const bareTogether = stack.adopt(await startBareNodes(cluster, [['route', 'rows']]), (each) => each.stop());
    const together = { id: 'together', what: 'one process', bareWhat: 'bare route, one process' };
    const tree = { services: pid, ...(await serversOf(cluster.dataDir)) };
    return [
      ...rows,
      ...(await measureLayout(bench, all, overviews, { ...together, origin, trees: tree, bare: bareTogether })),
    ];
  },
};

/** The requests of a read to the services and to the bare route, one for each reader. */
interface Read {
  id: string;
  what: string;
  ours: LoadRequest[];
  bare: LoadRequest[];
}

/** A layout of processes for the services and for the bare route. */
interface Layout {
  id: string;
  what: string;
  bareWhat: string;
  origin: string;
  trees: ProcessTrees;
  bare: BareNodes;
}

async function measureLayout(
  bench: Bench,
  all: readonly Read[],
  overviews: OverviewReads,
  layout: Layout,
): Promise<Row[]> {
  const { id, what, bareWhat, bare, origin, trees } = layout;
  const rows: Row[] = [];
  for (const read of all) {
    bench.log(` ${read.id}, ${what}`);
    await expectSameRows(read, origin, bare.origin);
    const measured = await inTurn(bench, [
      loadOf('ours', origin, read.ours, trees),
      loadOf('bare', bare.origin, read.bare, bare.trees),
    ]);
    rows.push({
      id: `reads.${id}.${read.id}`,
      what: `${read.what}: ${what}, ${String(IN_FLIGHT)} in flight`,
      unit: '/s',
      ours: measured.spread('ours'),
      baseline: { what: bareWhat, figure: measured.spread('bare') },
      ratio: measured.ratio('ours', 'bare'),
      // The bare route checks neither token, parameters nor permission, and creates no cursor. These may cost two
      // thirds of the cost of all other work.
      goal: { of: 'ratio', at: 'least', value: 0.6 },
      details: measured.details('ours'),
    });
  }
  return [...rows, ...(await measureOverview(bench, overviews, layout))];
}

/** Creates a contender that measures the requests per second of a server, and the latency and CPU time of each. */
function loadOf(name: string, origin: string, requests: LoadRequest[], trees: ProcessTrees): Contender {
  return {
    name,
    async run(duration_ms) {
      const plan = { origin, in_flight: IN_FLIGHT, duration_ms, requests, cycle: true, expected: [200] };
      const { result, spent } = await cpuDuring(trees, (moments) => httpLoad(plan, moments));
      const { count, seconds, p50_ms, p99_ms } = result;
      const cpu = Object.entries(perOperation_us(spent, count)).map(
        ([process, us]) => [`cpu_${process}_us`, us] as const,
      );
      return { figure: count / seconds, details: { p50_ms, p99_ms, ...Object.fromEntries(cpu) } };
    },
  };
}

/** @throws Error unless the bare route and the services return the same rows, which a comparison requires */
async function expectSameRows(read: Read, ourOrigin: string, bareOrigin: string): Promise<void> {
  const [ours, bare] = await Promise.all([rowsAt(ourOrigin, read.ours[0]!), rowsAt(bareOrigin, read.bare[0]!)]);
  if (ours.length === 0 || !isDeepStrictEqual(ours, bare)) {
    throw new Error(`${read.id}: the bare route returns other rows: ${JSON.stringify([ours[0], bare[0]])}`);
  }
}

async function rowsAt(origin: string, { path, headers }: LoadRequest): Promise<unknown[]> {
  const answer = await fetch(`${origin}${path}`, { headers });
  if (!answer.ok) throw new Error(`GET ${path} gave ${String(answer.status)}: ${await answer.text()}`);
  return ((await answer.json()) as { data: unknown[] }).data;
}

/** Fills the databases with groups of the same members. @returns the reads to measure */
async function fillGroupToRead(processes: ServiceProcesses): Promise<Read[]> {
  const { cluster } = processes;
  const group = groupOf(MEMBERS);
  await fillWallets(processes.admin('treasury'), group.members);
  await fillMembership(processes.admin('membership'), group);
  for (let others = 1; others < ASSOCIATIONS; others += 1) {
    await fillMembership(processes.admin('membership'), groupOf(MEMBERS, group.members));
  }
  const { meeting_id } = await fillPaidRound(processes.admin('contribution'), group);
  const writer = openWriter(withDatabase(cluster.adminUrl, defaultDatabaseName('treasury')));
  const pay = (number: number) =>
    writer.post({ ...group, meeting_id }, { id: uuidv7(), payer: number % MEMBERS, amount_minor: DUE_MINOR });
  await Promise.all(Array.from({ length: TRANSFERS }, (_, number) => pay(number)));
  await writer.stop();
  // In production, autovacuum does this before the first read.
  for (const service of ['membership', 'contribution', 'treasury'] as const)
    await processes.admin(service).query('VACUUM ANALYZE');
  return readsOf(cluster, group, meeting_id);
}

function readsOf(cluster: Cluster, { association_id, members }: FilledGroup, meeting_id: string): Read[] {
  // The bare route shows payout wallets, which the services show to the board only.
  const readers = members.slice(0, BOARD_SIZE).map(({ user_id }) => ({ user_id, token: cluster.token(user_id) }));
  const read = (id: string, what: string, path: string, bareQuery: (user_id: string) => string = () => ''): Read => ({
    id,
    what,
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
