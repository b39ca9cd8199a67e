import { setTimeout as sleep } from 'node:timers/promises';
import { SERVICES } from '../../lib/config/service-names.ts';
import { ContributionLoad, foundContributingGroup } from '../apparatus/contribution-load.ts';
import { residentMib } from '../apparatus/cpu-time.ts';
import { startServiceProcesses } from '../apparatus/service-processes.ts';
import { startApart, startServers, startTogether, withDataDir } from '../apparatus/starting.ts';
import type { Started } from '../apparatus/starting.ts';
import type { Goal, Row } from '../report/row.ts';
import { spreadOf } from '../report/statistics.ts';
import type { Bench, Section } from '../section.ts';

const START_GOAL: Goal = { of: 'figure', at: 'most', value: 5 };
const IDLE_GOAL: Goal = { of: 'figure', at: 'most', value: 120 };

/** After this a process has done what it does at its start, and what it no longer needs may have been given back. */
const IDLE_AFTER_MS = 5_000;

const LOADED_IN_FLIGHT = 32;
const LOADED_AFTER_MS = 10_000;

/** The figures of each round, by the ids of their rows. */
type Figures = Map<string, number[]>;

/** From start to ready, and what each process has in memory. */
export const start: Section = {
  id: 'start',
  title: 'start to ready; memory of each process',
  async measure(bench) {
    const figures: Figures = new Map();
    for (let round = 1; round <= bench.rounds; round += 1) {
      await withDataDir((dataDir) => measureTogether(dataDir, figures));
      await withDataDir((dataDir) => measureApart(dataDir, figures));
      const said = [...figures].map(([id, values]) => `${id} ${String(values.at(-1)?.toFixed(1))}`);
      bench.log(`  round ${String(round)}: ${said.join(', ')}`);
    }
    await measureLoaded(bench, figures);
    return rowsOf(figures);
  },
};

async function measureTogether(dataDir: string, figures: Figures): Promise<void> {
  const first = await startTogether(dataDir);
  note(figures, 'start.together.first', first.seconds);
  await noteIdle(first, 'first', figures);
  const second = await startTogether(dataDir);
  note(figures, 'start.together.again', second.seconds);
  await noteIdle(second, 'idle', figures);
}

async function measureApart(dataDir: string, figures: Figures): Promise<void> {
  const stopServers = await startServers(dataDir);
  try {
    const first = await startApart(dataDir);
    note(figures, 'start.apart.first', first.seconds);
    await noteIdle(first, 'first', figures);
    const second = await startApart(dataDir);
    note(figures, 'start.apart.again', second.seconds);
    await noteIdle(second, 'idle', figures);
  } finally {
    await stopServers();
  }
}

/** @param state `first` where nothing was compiled before, otherwise `idle` */
async function noteIdle(started: Started, state: 'first' | 'idle', figures: Figures): Promise<void> {
  try {
    await sleep(IDLE_AFTER_MS);
    for (const [name, pid] of Object.entries(started.pids))
      note(figures, `memory.${state}.${name}`, await residentMib(pid));
  } finally {
    await started.stop();
  }
}

async function measureLoaded(bench: Bench, figures: Figures): Promise<void> {
  const processes = await startServiceProcesses();
  try {
    const load = await ContributionLoad.of(processes.cluster, [await foundContributingGroup(processes.cluster)]);
    bench.log('  loading');
    await load.run(LOADED_IN_FLIGHT, LOADED_AFTER_MS);
    for (const name of SERVICES) {
      note(figures, `memory.loaded.${name}`, await residentMib(processes.cluster.running(name).pid));
    }
  } finally {
    await processes.stop();
  }
}

function note(figures: Figures, id: string, figure: number): void {
  const values = figures.get(id) ?? [];
  values.push(figure);
  figures.set(id, values);
}

function rowsOf(figures: Figures): Row[] {
  return [...figures].map(([id, values]): Row => {
    const isTime = id.startsWith('start.');
    const goal = isTime
      ? START_GOAL
      : /^memory\.(first|idle)\./.test(id) && !id.endsWith('.all')
        ? IDLE_GOAL
        : undefined;
    return {
      id,
      what: wordsOf(id),
      unit: isTime ? 's' : 'MiB',
      ours: spreadOf(values),
      ...(goal === undefined ? {} : { goal }),
    };
  });
}

const STARTS: Record<string, string> = {
  'start.together.first': 'start to ready, all in one process with its servers, DATA_DIR and compile cache empty',
  'start.together.again': 'the same, as it was left',
  'start.apart.first': 'start to ready, five processes on servers that run, databases and compile cache empty',
  'start.apart.again': 'the same, as they were left',
};

const STATES: Record<string, string> = {
  first: 'idle after a start with nothing compiled before',
  idle: 'idle',
  loaded: `after ${String(LOADED_AFTER_MS / 1_000)} s of contributions`,
};

function wordsOf(id: string): string {
  const [, state = '', name = ''] = id.split('.');
  const where = name === 'all' ? 'the one process with all services' : `${name} in a process of its own`;
  return STARTS[id] ?? `memory of ${where}, ${STATES[state] ?? state}`;
}
