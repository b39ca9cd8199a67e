/** Whether the NATS servers of a site have recovered, and which of them leads the stream. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { NatsError } from 'nats';
import { CONSUMERS, STREAM } from '../../lib/contracts/events.ts';
import { openBus } from '../../lib/events/stream.ts';
import type { TestNats } from '../harness/nats.ts';
import type { Site } from './site.ts';

/** Servers elect leaders within about 10 s. */
const UNHEALTHY_MAX_MS = 20_000;
const HEALTH_POLL_MS = 100;
/** NATS's code for a stream or consumer that does not exist. */
const NOT_FOUND = '404';

/**
 * The fault of a NATS server ends when all servers report that streams and consumers have a leader, and are up to date. One that
 * does not is restarted, as by the probes of Kubernetes: in nats-server 2.9 a restarted replica may stay behind (seed 26). If that
 * does not help, each of the others is restarted too, as a leader may not let replicas catch up (seed 2). All replicas of such a
 * leader report that they are behind, and it does not (seed 7), so the next one is not derived from the one that reports it.
 */
export function untilHealthy(site: Site): Promise<void> {
  const own = restartUntilHealthy(site, recoveries.get(site));
  recoveries.set(site, own);
  return own;
}

/** One recovery at a time, as faults may overlap: two would restart one server after another, and leave no time to recover. */
const recoveries = new WeakMap<Site, Promise<void>>();

async function restartUntilHealthy(site: Site, earlier?: Promise<void>): Promise<void> {
  // Its failure is that of its own fault.
  await earlier?.catch(() => undefined);
  const restarted = new Set<TestNats>();
  for (;;) {
    const unhealthy = await unhealthyAmong(site);
    if (unhealthy === undefined) return;
    const next = [unhealthy, ...site.nats].find((server) => !restarted.has(server));
    if (next === undefined) throw new Error(`NATS is not healthy: port ${String(unhealthy.port)}`);
    restarted.add(next);
    await next.kill();
    await next.restart();
  }
}

/** Waits until all servers are healthy, and consumers have leaders. @returns a server that is not healthy after UNHEALTHY_MAX_MS */
async function unhealthyAmong({ nats, natsUrl }: Site): Promise<TestNats | undefined> {
  let unhealthy: TestNats | undefined;
  for (const end_ms = performance.now() + UNHEALTHY_MAX_MS; performance.now() < end_ms; await sleep(HEALTH_POLL_MS)) {
    const health = await Promise.all(nats.map(isHealthy));
    unhealthy = nats.find((_server, index) => !health[index]);
    if (unhealthy === undefined && (await haveLeaders(natsUrl))) return undefined;
  }
  return unhealthy;
}

/** A server that was soon restarted is healthy before the consumers that it led have a leader again (seed 430: 5 s later). */
async function haveLeaders(natsUrl: string): Promise<boolean> {
  const bus = await openBus(natsUrl, 'faults').catch(() => undefined);
  if (bus === undefined) return false;
  const answers = await Promise.allSettled(
    Object.keys(CONSUMERS).map((name) => bus.manager.consumers.info(STREAM, name)),
  );
  await bus.close();
  // Only a leader answers. A consumer that does not exist needs none.
  return answers.every((each) => each.status === 'fulfilled' || (each.reason as NatsError).code === NOT_FOUND);
}

async function isHealthy({ monitoringPort }: TestNats): Promise<boolean> {
  try {
    const answer = await fetch(`http://127.0.0.1:${String(monitoringPort)}/healthz`);
    await answer.body?.cancel();
    return answer.ok;
  } catch {
    // A server that has just been started does not listen yet.
    return false;
  }
}

/** Returns the server that leads the event stream; any server if there is no leader. */
export async function leaderOf({ site, server }: { site: Site; server: TestNats }): Promise<TestNats> {
  const bus = await openBus(site.natsUrl, 'faults').catch(() => undefined);
  const info = await bus?.manager.streams.info(STREAM).catch(() => undefined);
  await bus?.close();
  return site.nats.find(({ port }) => info?.cluster?.leader === `n${String(port)}`) ?? server;
}
