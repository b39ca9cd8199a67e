import { SERVICES } from '../../lib/config/service-names.ts';
import { cpuDuring, perOperation_us } from '../apparatus/cpu-time.ts';
import type { ProcessTrees } from '../apparatus/cpu-time.ts';
import { fillGroupToRead } from '../apparatus/group-to-read.ts';
import type { Read } from '../apparatus/group-to-read.ts';
import { httpLoad } from '../apparatus/http-load.ts';
import type { LoadRequest } from '../apparatus/http-load.ts';
import { inTurn } from '../apparatus/in-turn.ts';
import type { Contender } from '../apparatus/in-turn.ts';
import { serversOf, startServiceProcesses } from '../apparatus/service-processes.ts';
import { startBareRoute } from '../beside/bare-route.ts';
import type { BareRoute } from '../beside/bare-route.ts';
import type { Row } from '../report/row.ts';
import type { Bench, Section } from '../section.ts';

const IN_FLIGHT = 32;

/**
 * Of what the bare route gives. It does none of what a read is not allowed without: checking the token and what was
 * sent, asking membership whether the reader may see this, making a cursor. Together these may cost two thirds as much
 * again as the route, its call over NATS and the rows themselves.
 */
const GOAL = { of: 'ratio', at: 'least', value: 0.6 } as const;

export const reads: Section = {
  id: 'reads',
  title: 'Reads over HTTP, 32 in flight, beside the same rows behind a bare route',
  async measure(bench) {
    await using stack = new AsyncDisposableStack();
    const processes = stack.adopt(await startServiceProcesses(), (each) => each.stop());
    const { cluster } = processes;
    const all = await fillGroupToRead(processes);
    const apart = { id: 'apart', what: 'five processes', bareWhat: 'bare route, two processes' };
    const bareApart = await startBareRoute(cluster, [['route'], ['rows']]);
    const rows = await measureLayout(bench, all, {
      ...apart,
      origin: cluster.origin,
      trees: processes.trees,
      bare: bareApart,
    });

    await processes.stopServices();
    const { pid } = await cluster.start([...SERVICES]);
    await cluster.ready();
    const together = { id: 'together', what: 'one process', bareWhat: 'bare route, one process' };
    const trees = { services: pid, ...(await serversOf(cluster.dataDir)) };
    const bare = await startBareRoute(cluster, [['route', 'rows']]);
    return [...rows, ...(await measureLayout(bench, all, { ...together, origin: cluster.origin, trees, bare }))];
  },
};

/** Who runs where: ours and the bare route alike. */
interface Layout {
  id: string;
  what: string;
  bareWhat: string;
  origin: string;
  trees: ProcessTrees;
  /** Stopped when the layout has been measured. */
  bare: BareRoute;
}

async function measureLayout(bench: Bench, all: readonly Read[], layout: Layout): Promise<Row[]> {
  try {
    const rows: Row[] = [];
    for (const read of all) rows.push(await measureRead(bench, read, layout));
    return rows;
  } finally {
    await layout.bare.stop();
  }
}

async function measureRead(bench: Bench, read: Read, layout: Layout): Promise<Row> {
  const { bare, origin, trees } = layout;
  bench.log(`${read.id}, ${layout.what}`);
  await haveSameRows(read, origin, bare.origin);
  const measured = await inTurn(bench, [
    loadOf('ours', origin, read.ours, trees),
    loadOf('bare', bare.origin, read.bare, { ...bare.trees, ...serversIn(trees) }),
  ]);
  return {
    id: `reads.${layout.id}.${read.id}`,
    what: `${read.what}: ${layout.what}, ${String(IN_FLIGHT)} in flight`,
    unit: '/s',
    ours: measured.spread('ours'),
    beside: { what: layout.bareWhat, figure: measured.spread('bare') },
    ratio: measured.ratio('ours', 'bare'),
    goal: GOAL,
    details: { ...measured.details('ours'), ...measured.details('bare', 'bare_') },
  };
}

function serversIn({ postgres, nats }: ProcessTrees): ProcessTrees {
  return { ...(postgres === undefined ? {} : { postgres }), ...(nats === undefined ? {} : { nats }) };
}

/** Load on one server: requests a second, and what each of them took. */
function loadOf(name: string, origin: string, requests: LoadRequest[], trees: ProcessTrees): Contender {
  return {
    name,
    async run(duration_ms) {
      const plan = { origin, in_flight: IN_FLIGHT, duration_ms, requests, cycle: true, expected: [200] };
      const { result, spent } = await cpuDuring(trees, (moments) => httpLoad(plan, moments));
      const { count, seconds, p50_ms, p99_ms } = result;
      return { figure: count / seconds, details: { p50_ms, p99_ms, ...cpuFigures(perOperation_us(spent, count)) } };
    },
  };
}

function cpuFigures(spent_us: Record<string, number>): Record<string, number> {
  const sum = Object.values(spent_us).reduce((total, each) => total + each, 0);
  const parts = Object.entries(spent_us).map(([name, us]) => [`cpu_${name}_us`, us] as const);
  return { cpu_us: sum, ...Object.fromEntries(parts) };
}

interface Page {
  data: object[];
}

/** Two answers with different rows would tell nothing: the bare route must give each row that we give, and no other. */
async function haveSameRows(read: Read, ...origins: [ours: string, bare: string]): Promise<void> {
  const [request, bareRequest] = [read.ours[0], read.bare[0]];
  if (request === undefined || bareRequest === undefined) throw new Error(`Nobody reads ${read.id}`);
  const [ours, bare] = await Promise.all([pageOf(origins[0], request), pageOf(origins[1], bareRequest)]);
  const [a, b] = [ours.data.map(inOrder), bare.data.map(inOrder)];
  const at = a.findIndex((row, index) => row !== b[index]);
  if (a.length === 0 || a.length !== b.length || at >= 0) {
    throw new Error(`${read.id}: the bare route gives other rows: ${String(b[at])}, not ${String(a[at])}`);
  }
}

async function pageOf(origin: string, { path, headers }: LoadRequest): Promise<Page> {
  const answer = await fetch(`${origin}${path}`, { headers });
  if (!answer.ok) throw new Error(`GET ${path} gave ${String(answer.status)}: ${await answer.text()}`);
  return (await answer.json()) as Page;
}

function inOrder(row: object): string {
  return JSON.stringify(Object.fromEntries(Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1))));
}
