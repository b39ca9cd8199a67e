import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ProcessTrees } from '../apparatus/cpu-time.ts';
import { endProcess } from '../apparatus/end-process.ts';

/** A request's way through gateway and NATS with nothing at its ends. */
export interface EmptyHops {
  origin: string;
  /** The gateway and the three services. */
  trees: ProcessTrees;
  stop(): Promise<void>;
}

const START_TIMEOUT_MS = 20_000;
const POLL_MS = 50;

/** Starts a bare gateway and three empty services, each in a process of its own, on a NATS server that runs. */
export async function startEmptyHops(natsUrl: string): Promise<EmptyHops> {
  const started = ['gateway', 'a', 'b', 'c'].map((part) => spawnPart(part, natsUrl));
  const stop = async () => void (await Promise.all(started.map(({ child }) => endProcess(child))));
  try {
    const port = await portOf(started);
    const trees = Object.fromEntries(started.map(({ part, child }) => [`empty ${part}`, child.pid ?? -1]));
    return { origin: `http://127.0.0.1:${port}`, trees, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

interface Started {
  part: string;
  child: ChildProcess;
  output: () => string;
}

function spawnPart(part: string, natsUrl: string): Started {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'empty-hops-process.ts'), part], {
    env: { ...process.env, NATS_URL: natsUrl },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  return { part, child, output: () => output };
}

/** The gateway listens once it has found the three services. */
async function portOf(started: Started[]): Promise<string> {
  for (const end = Date.now() + START_TIMEOUT_MS; ; await sleep(POLL_MS)) {
    const port = /^port (\d+)$/m.exec(started[0]?.output() ?? '')?.[1];
    if (port !== undefined) return port;
    if (Date.now() > end || started.some(({ child }) => child.exitCode !== null)) {
      throw new Error(`The empty hops did not start:\n${started.map(({ output }) => output()).join('')}`);
    }
  }
}
