import { SERVICES } from '../../lib/config/service-names.ts';
import { cpuSecondsOf, perOperation_us } from '../apparatus/cpu-time.ts';
import type { CpuSeconds, ProcessTrees } from '../apparatus/cpu-time.ts';
import { fillGroupToRead } from '../apparatus/group-to-read.ts';
import type { Read } from '../apparatus/group-to-read.ts';
import { httpLoad } from '../apparatus/http-load.ts';
import type { LoadRequest } from '../apparatus/http-load.ts';
import { inTurn } from '../apparatus/in-turn.ts';
import { serversOf, startServiceProcesses } from '../apparatus/service-processes.ts';
import { startBareRoute } from '../beside/bare-route.ts';
import type { BareRoute } from '../beside/bare-route.ts';
import { median } from '../report/statistics.ts';
import type { Row } from '../report/row.ts';
import type { Bench, Section } from '../section.ts';

const IN_FLIGHT = 32;

/** Issue 4: of what the bare route gives. */
const GOAL = { of: 'ratio', at: 'least', value: 0.6 } as const;

export const reads: Section = {
  id: 'reads',
  title: 'Reads over HTTP, 32 in flight, beside the same rows behind a bare route',
  async measure(bench) {
    const processes = await startServiceProcesses();
    const { cluster } = processes;
    try {
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
    } finally {
      await processes.stop();
    }
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
  const ours = loadOf(origin, read.ours, trees);
  const floor = loadOf(bare.origin, read.bare, { ...bare.trees, ...serversIn(trees) });
  const measured = await inTurn(bench, [
    { name: 'ours', run: (duration_ms) => ours.run(duration_ms) },
    { name: 'bare', run: (duration_ms) => floor.run(duration_ms) },
  ]);
  return {
    id: `reads.${layout.id}.${read.id}`,
    what: `${read.what}: ${layout.what}, ${String(IN_FLIGHT)} in flight`,
    unit: '/s',
    ours: measured.spread('ours'),
    beside: { what: layout.bareWhat, figure: measured.spread('bare') },
    ratio: measured.ratio('ours', 'bare'),
    goal: GOAL,
    details: { ...ours.details(bench.rounds), ...prefixed('bare', floor.details(bench.rounds)) },
  };
}

function serversIn({ postgres, nats }: ProcessTrees): ProcessTrees {
  return { ...(postgres === undefined ? {} : { postgres }), ...(nats === undefined ? {} : { nats }) };
}

/** Load on one server, and what it told beside requests a second. */
function loadOf(origin: string, requests: LoadRequest[], trees: ProcessTrees) {
  const figures: Record<string, number>[] = [];
  return {
    async run(duration_ms: number): Promise<number> {
      const cpu: CpuSeconds[] = [];
      const read = async () => void cpu.push(await cpuSecondsOf(trees));
      const plan = { origin, in_flight: IN_FLIGHT, duration_ms, requests, cycle: true, expected: [200] };
      const { count, seconds, p50_ms, p99_ms } = await httpLoad(plan, { began: read, ended: read });
      const [before = {}, after = {}] = cpu;
      figures.push({ p50_ms, p99_ms, ...cpuFigures(perOperation_us(before, after, count)) });
      return count / seconds;
    },
    /** The medians of the rounds that count: the warm-up came before them. */
    details(rounds: number): Record<string, number> {
      const counted = figures.slice(-rounds);
      const names = Object.keys(counted[0] ?? {});
      return Object.fromEntries(names.map((name) => [name, median(counted.map((each) => each[name] ?? NaN))]));
    },
  };
}

function cpuFigures(spent_us: Record<string, number>): Record<string, number> {
  const sum = Object.values(spent_us).reduce((total, each) => total + each, 0);
  const parts = Object.entries(spent_us).map(([name, us]) => [`cpu_${name}_us`, us] as const);
  return { cpu_us: sum, ...Object.fromEntries(parts) };
}

function prefixed(prefix: string, figures: Record<string, number>): Record<string, number> {
  return Object.fromEntries(Object.entries(figures).map(([name, value]) => [`${prefix}_${name}`, value]));
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
