import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { SERVICES } from '../../lib/config/service-names.ts';
import { freePort } from '../../test/harness/free-port.ts';
import { ContributionLoad, foundContributingGroup } from '../harness/contribution-load.ts';
import { cpuDuring, perOperation_us, residentMib } from '../harness/cpu-time.ts';
import { startServiceProcesses } from '../harness/service-processes.ts';
import { endProcess } from '../harness/worker.ts';
import type { Row } from '../report/row.ts';
import { spreadOf } from '../report/statistics.ts';
import type { Section } from '../section.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const START_TIMEOUT_MS = 60_000;
/** Maximum error of the measured time. */
const POLL_MS = 20;
const MS_PER_S = 1_000;

/** Time after which a process has finished its start and may have released memory. */
const IDLE_AFTER_MS = 5_000;

/** Long enough for every timer of an idle process, and for a precision of 0.5 ms a second. */
const IDLE_S = 20;

const LOAD = { in_flight: 32, duration_ms: 10_000 };

/** Rows by their ids, with the figures of the rounds so far. */
type Noted = Map<string, Omit<Row, 'ours'> & { rounds: number[] }>;

/** The time from start to ready, the memory of each process, and the CPU that it takes while idle. */
export const start: Section = {
  id: 'start',
  title: 'Start to ready, nothing cached; memory and CPU of each process',
  async measure(bench) {
    const noted: Noted = new Map();
    for (let round = 1; round <= bench.rounds; round += 1) {
      bench.log(`  round ${String(round)}`);
      await measureTogether(noted, bench.log);
      await measureApart(noted, bench.log);
    }
    await measureLoaded(noted);
    return [...noted.values()].map(({ rounds, ...row }) => ({ ...row, ours: spreadOf(rounds) }));
  },
};

async function measureTogether(noted: Noted, log: (line: string) => void): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const started = stack.adopt(await startTogether(await newDataDir(stack)), (each) => each.stop());
  noteStart(noted, 'together', 'all in one process with its servers', started, log);
  await sleep(IDLE_AFTER_MS);
  note(noted, {
    id: 'memory.first.all',
    what: 'memory of the one process with all services, idle',
    unit: 'MiB',
    figure: residentMib(started.pids['all'] ?? -1),
  });
}

async function measureApart(noted: Noted, log: (line: string) => void): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const dataDir = await newDataDir(stack);
  stack.adopt(await startServers(dataDir), endProcess);
  const started = stack.adopt(await startApart(dataDir), (each) => each.stop());
  noteStart(noted, 'apart', 'five processes on servers that run', started, log);
  await sleep(IDLE_AFTER_MS);
  const { spent } = await cpuDuring(started.pids, () => sleep(IDLE_S * MS_PER_S));
  for (const [name, figure] of Object.entries(perOperation_us(spent, IDLE_S))) {
    note(noted, { id: `cpu.first.${name}`, what: `CPU of ${name} in a second, idle`, unit: 'µs of CPU', figure });
  }
  for (const name of SERVICES) {
    note(noted, {
      id: `memory.first.${name}`,
      what: `memory of ${name} in a process of its own, idle`,
      unit: 'MiB',
      figure: residentMib(started.pids[name] ?? -1),
      goal: { of: 'figure', at: 'most', value: 120 },
    });
  }
}

async function measureLoaded(noted: Noted): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const { cluster } = stack.adopt(await startServiceProcesses(), (each) => each.stop());
  const load = await ContributionLoad.of(cluster, await foundContributingGroup(cluster));
  await load.run(LOAD);
  for (const name of SERVICES) {
    const figure = residentMib(cluster.running(name).pid);
    note(noted, { id: `memory.loaded.${name}`, what: `memory of ${name} after 10 s of load`, unit: 'MiB', figure });
  }
}

async function newDataDir(stack: AsyncDisposableStack): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'association-start-'));
  stack.defer(() => rm(dataDir, { recursive: true, force: true }));
  return dataDir;
}

function noteStart(noted: Noted, id: string, what: string, started: Started, log: (line: string) => void): void {
  log(`  ${what}: ${started.seconds.toFixed(1)} s`);
  note(noted, {
    id: `start.${id}.first`,
    what: `start to ready, ${what}`,
    unit: 's',
    figure: started.seconds,
    goal: { of: 'figure', at: 'most', value: 5 },
  });
}

function note(noted: Noted, { figure, ...row }: Omit<Row, 'ours'> & { figure: number }): void {
  const rounds = noted.get(row.id)?.rounds ?? [];
  noted.set(row.id, { ...row, rounds: [...rounds, figure] });
}

/** Processes that run under one DATA_DIR and serve the API. */
interface Started {
  /** Seconds from the start of the first process until /health/ready answers 200. */
  seconds: number;
  /** Name of the service -> pid; `all` runs every service. */
  pids: Record<string, number>;
  stop(): Promise<void>;
}

/** Runs `npm start` without npm: one process with all services and the servers. */
function startTogether(dataDir: string): Promise<Started> {
  return startAll(dataDir, { all: ['start.ts'] });
}

/** Runs `npm run service` without npm for each of the services; the servers are already running. */
function startApart(dataDir: string): Promise<Started> {
  return startAll(dataDir, Object.fromEntries(SERVICES.map((name) => [name, ['service.ts', name]])));
}

async function startAll(dataDir: string, commands: Record<string, string[]>): Promise<Started> {
  const port = await freePort();
  const began_ms = performance.now();
  const children = Object.entries(commands).map(([name, args]) => ({ name, child: spawnCommand(dataDir, args, port) }));
  // The line that says that it is ready is not needed.
  for (const { child } of children) child.stdout.resume();
  const stop = async () => void (await Promise.all(children.map(({ child }) => endProcess(child))));
  for (const limit = Date.now() + START_TIMEOUT_MS; !(await isReady(port)); await sleep(POLL_MS)) {
    const failed = children.find(({ child }) => child.exitCode !== null);
    if (failed === undefined && Date.now() < limit) continue;
    await stop();
    throw new Error(`${failed?.name ?? 'The services'} did not start`);
  }
  const seconds = (performance.now() - began_ms) / MS_PER_S;
  return { seconds, pids: Object.fromEntries(children.map(({ name, child }) => [name, child.pid ?? -1])), stop };
}

/** Runs `npm run infra` without npm, until it prints that the servers are ready. */
async function startServers(dataDir: string): Promise<ChildProcess> {
  const child = spawnCommand(dataDir, ['infra.ts'], await freePort());
  for await (const line of createInterface(child.stdout)) if (line.includes('ready')) return child;
  throw new Error('The servers did not start');
}

/** Runs a command of `cli`. */
function spawnCommand(dataDir: string, [script = '', ...args]: string[], port: number) {
  return spawn('sh', [join('cli', 'lean-node.sh'), join('cli', script), ...args], {
    cwd: ROOT,
    env: {
      ...process.env,
      PATH: `${join(ROOT, 'node_modules', '.bin')}:${String(process.env['PATH'])}`,
      // A first start has an empty compile cache.
      NODE_COMPILE_CACHE: join(dataDir, 'compile-cache'),
      DATA_DIR: dataDir,
      LOG_LEVEL: 'warn',
      PORT: String(port),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

async function isReady(port: number): Promise<boolean> {
  const answer = await fetch(`http://127.0.0.1:${String(port)}/health/ready`).catch(() => undefined);
  await answer?.arrayBuffer();
  return answer?.ok === true;
}
