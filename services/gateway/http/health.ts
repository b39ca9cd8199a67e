import { setTimeout as delay } from 'node:timers/promises';
import type { ServiceBroker } from 'moleculer';
import type { NatsConnection } from 'nats';
import { callAllNodes } from '../../../lib/service/call.ts';
import type { Command } from '../../../lib/contracts/action.ts';
import * as contribution from '../../../lib/contracts/contribution.ts';
import * as governance from '../../../lib/contracts/governance.ts';
import * as membership from '../../../lib/contracts/membership.ts';
import * as treasury from '../../../lib/contracts/treasury.ts';
import { problem } from '../../../lib/errors/problem.ts';
import type { Clock } from '../../../lib/node/clock.ts';
import type { KeySet, KeySetState } from '../tokens/key-set.ts';

/** A healthy service answers within milliseconds; one that takes longer than this cannot serve requests either. */
const CHECK_TIMEOUT_MS = 1_000;

/** Services are asked at most once in this time, regardless of how often a load balancer asks. */
const CACHE_MS = 500;

type Health = Command<Record<string, never>, { ok: boolean; delayed_events?: boolean }>;

/** The services that the API needs; each checks its own database. */
const NEEDED = {
  membership: membership.health,
  contribution: contribution.health,
  treasury: treasury.health,
  governance: governance.health,
} as const satisfies Record<string, Health>;

/** A service is `degraded` when it serves requests but its events are not published. */
export type Readiness = Record<keyof typeof NEEDED, 'up' | 'degraded' | 'down'> & {
  nats: 'up' | 'down';
  /** The state of the identity provider's keys; absent if none is set. */
  token_keys?: KeySetState;
};

/** `degraded` means that requests are served, but an operator should look into it. */
export interface ReadyAnswer {
  status: 'ready' | 'degraded';
  services: Readiness;
}

/**
 * Returns a function that checks everything that requests need: the services, their databases, NATS, and the key set if
 * there is one. While something is down the function throws service_unavailable, which names it.
 */
export function readinessCheck(
  broker: ServiceBroker,
  clock: Clock,
  keySet?: Pick<KeySet, 'state'>,
): () => Promise<ReadyAnswer> {
  let cached: { at_ms: number; readiness: Promise<Readiness> } | undefined;
  return async () => {
    const at_ms = clock().getTime();
    if (cached === undefined || at_ms - cached.at_ms >= CACHE_MS || at_ms < cached.at_ms) {
      cached = { at_ms, readiness: check(broker) };
    }
    const services = { ...(await cached.readiness), ...(keySet === undefined ? {} : { token_keys: keySet.state() }) };
    const states: string[] = Object.values(services);
    if (states.includes('down')) throw problem('service_unavailable', { services });
    return { status: states.includes('degraded') ? 'degraded' : 'ready', services };
  };
}

async function check(broker: ServiceBroker): Promise<Readiness> {
  const answers = await Promise.all(
    Object.entries(NEEDED).map(async ([name, command]) => [name, await stateOf(broker, command)] as const),
  );
  return { ...Object.fromEntries(answers), nats: await isNatsUp(broker) } as Readiness;
}

/** Asks the NATS server itself: Moleculer reports `connected` as long as its client tries to reconnect. */
async function isNatsUp({ transit }: ServiceBroker): Promise<'up' | 'down'> {
  // Without a transporter, as in tests, there is no NATS to check.
  if (transit === undefined || transit === null) return 'up';
  if (!transit.connected) return 'down';
  const { client } = (transit as { tx?: { client?: Pick<NatsConnection, 'rtt'> } }).tx ?? {};
  if (client === undefined) return 'up';
  const late = delay(CHECK_TIMEOUT_MS, 'down' as const, { ref: false });
  try {
    return await Promise.race([client.rtt().then(() => 'up' as const), late]);
  } catch {
    // The connection is lost; the client logs that.
    return 'down';
  }
}

async function stateOf(broker: ServiceBroker, command: Health): Promise<'up' | 'degraded' | 'down'> {
  try {
    const { delayed_events } = await callAllNodes(broker, command, {}, CHECK_TIMEOUT_MS);
    return delayed_events === true ? 'degraded' : 'up';
  } catch {
    // The service logs the reason itself.
    return 'down';
  }
}
