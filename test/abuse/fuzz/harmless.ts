import { isDeepStrictEqual } from 'node:util';
import { setTimeout as delay } from 'node:timers/promises';
import { startCluster, TOGETHER_WITH_FURTHER } from '../../harness/cluster.ts';
import { everythingStored } from '../../harness/stored.ts';
import { expectServed, fuzz, makeTargets, ofMember, type FuzzResult } from './run.ts';
import { openSlowConnections } from './slow-connections.ts';
import { INSPECTED, measureProcess, type ProcessState } from './measure-process.ts';

export interface FuzzOptions {
  seed: number;
  requests: number;
  /** Whether to wait until the server has closed the slow connections, which takes up to a minute. */
  waitsForSlow: boolean;
}

export interface FuzzReport extends FuzzResult {
  /** What a member's requests were answered. */
  of_member: FuzzResult['statuses'];
  before: ProcessState;
  after: ProcessState;
}

/** The endpoint that requests name is at an address where nothing listens. */
const ANY_ADDRESS = { WEBHOOK_PRIVATE_ADDRESSES: 'allow' };

/** Requests that fill caches and let the engine compile, before the heap is measured. */
const WARM_UP = 500;

const SLOW_CONNECTIONS = 25;

/** Node's server looks for slow requests every 30 s, and ends those of more than 30 s. */
const SLOW_MAX_MS = 70_000;

/** What the engine and its caches may keep, and what each request may add: a leaked request has several kilobytes. */
const HEAP_GROWTH_MAX_BYTES = 4_000_000;
const HEAP_PER_REQUEST_MAX_BYTES = 200;

/** Requests of a member, some of which succeed: only they reach cursors, statements in SQL, and files. */
const OF_MEMBER_SHARE = 0.5;

/** Starts the services, sends the requests, and checks that the refused ones left nothing behind. */
export async function fuzzCluster({ seed, requests, waitsForSlow }: FuzzOptions): Promise<FuzzReport> {
  const cluster = await startCluster({ processes: TOGETHER_WITH_FURTHER, settings: { ...INSPECTED, ...ANY_ADDRESS } });
  try {
    const member = cluster.running('gateway');
    const targets = await makeTargets(cluster);
    await fuzz(cluster, targets, seed + requests, WARM_UP);
    const stored = await everythingStored(cluster);
    const port = Number(new URL(cluster.origin).port);
    const before = await measureProcess(member, port);
    const slow = openSlowConnections(port, SLOW_CONNECTIONS, targets.tokens[0]!);
    const result = await fuzz(cluster, targets, seed, requests);
    const { faults } = result;
    await expectServed(cluster);
    if (waitsForSlow) {
      await delay(SLOW_MAX_MS);
      if (slow.open() > 0) faults.push(`${String(slow.open())} slow connections are still open`);
    }
    slow.stop();
    const after = await settled(() => measureProcess(member, port), before);
    if (after.clients > before.clients)
      faults.push(`${String(after.clients - before.clients)} connections of clients are kept`);
    const growth = after.heap_bytes - before.heap_bytes;
    if (growth > HEAP_GROWTH_MAX_BYTES + requests * HEAP_PER_REQUEST_MAX_BYTES)
      faults.push(`${String(growth)} bytes of memory are kept`);
    const kept = await everythingStored(cluster);
    if (!isDeepStrictEqual(kept, stored)) faults.push(`rows were written: ${JSON.stringify([stored, kept])}`);
    // Last, as they write.
    const { faults: more, statuses: of_member } = await fuzz(
      cluster,
      ofMember(targets),
      seed,
      Math.ceil(requests * OF_MEMBER_SHARE),
    );
    return { ...result, faults: [...faults, ...more], of_member, before, after };
  } finally {
    await cluster.stop();
  }
}

const SETTLE_TRIES = 20;
const SETTLE_MS = 250;

/** Measures again while connections are being closed. */
async function settled(measure: () => Promise<ProcessState>, before: ProcessState): Promise<ProcessState> {
  for (let tries = 1; ; tries += 1) {
    const signs = await measure();
    if (signs.clients <= before.clients || tries === SETTLE_TRIES) return signs;
    await delay(SETTLE_MS);
  }
}
