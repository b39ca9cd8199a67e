/** Learns the routes of further services from what they declare, while they come and go. */
import type { Logger, ServiceBroker } from 'moleculer';
import { callerKeyVariable } from '../../../lib/config/caller-keys.ts';
import {
  describeApiCommand,
  type ApiMetadata,
  type DeclaredRoute,
  type ServiceApi,
} from '../../../lib/contracts/service-api.ts';
import { addErrors } from '../../../lib/errors/codes.ts';
import { faultOf } from '../../../lib/errors/fault.ts';
import { CALL_TIMEOUT_MS } from '../../../lib/service/call.ts';
import { startJob } from '../../../lib/service/recurring-job.ts';
import type { Route } from '../http/route.rules.ts';
import { checkedApi, DeclarationFault } from './declared-api.rules.ts';
import { joinedApis, type KnownApis } from './joined-apis.rules.ts';

/** What the gateway knows of the APIs of further services. */
export interface FurtherApis {
  /** Returns another object after each change. */
  current(): KnownApis;
  /**
   * Reads what has been declared since the last time. Several calls share one run.
   * @throws the fault of a service that could not be asked, once all have been
   */
  learn(): Promise<void>;
  /** As learn(), without waiting for it. What fails is repeated later. */
  learnSoon(): void;
  /** @param install replaces the routes that were installed before */
  start(gateway: Gateway, install: (routes: readonly Route[]) => void): void;
  stop(): Promise<void>;
}

interface Gateway {
  broker: ServiceBroker;
  logger: Logger;
}

/** A call that has failed is repeated after this time. Otherwise the registry tells at once that a service has come. */
const LEARN_EVERY_MS = 1_000;

/** A service of a node in Moleculer's registry, whose types do not show these members. */
interface Registered {
  name: string;
  nodeID: string;
  metadata?: ApiMetadata;
}

/** What one release of a service declares; null if it cannot be used. */
type Declared = ServiceApi | null;

/**
 * Returns the APIs of the services in the registry. A service that has gone keeps its routes, which then answer
 * `service_unavailable`. While a release replaces another, the routes of both are served. A declaration that cannot be used is logged
 * once.
 * @param own the routes of this project
 * @param hasKey whether this process can sign for a service: requests are routed to no others
 * @param describe makes the OpenAPI document, and throws if the routes cannot be described
 */
export function furtherApis(
  own: readonly DeclaredRoute[],
  hasKey: (service: string) => boolean,
  describe: (apis: KnownApis) => Promise<unknown>,
): FurtherApis {
  /** By service, and by the hash of the declaration. */
  const declared = new Map<string, Map<string, Declared>>();
  let known = joinedApis([]);
  let started: { gateway: Gateway; install: (routes: readonly Route[]) => void } | undefined;
  let job: { stop(): Promise<void> } | undefined;
  let running: Promise<void> | undefined;

  const releasesOf = (name: string): Map<string, Declared> => {
    const releases = declared.get(name) ?? new Map<string, Declared>();
    declared.set(name, releases);
    return releases;
  };

  /** Returns the routes that a declaration must leave to others. */
  const takenBesides = (name: string): DeclaredRoute[] => {
    const others = [...declared].filter(([other]) => other !== name);
    return [...own, ...others.flatMap(([, releases]) => joinedApis(usable(releases)).routes)];
  };

  /** Forgets what no node of a service declares any more. */
  function forgetGone(name: string, nodes: readonly Registered[]): boolean {
    const hashes = nodes.map(({ metadata }) => metadata?.api_hash);
    const releases = releasesOf(name);
    const gone = [...releases.keys()].filter((hash) => !hashes.includes(hash));
    for (const hash of gone) releases.delete(hash);
    return gone.length > 0;
  }

  async function learnAll(): Promise<void> {
    if (started === undefined) return;
    const { gateway, install } = started;
    const installAll = () => {
      known = joinedApis([...declared.values()].flatMap(usable));
      install(known.routes);
    };
    const failures: unknown[] = [];
    for (const [name, nodes] of declaringServices(gateway.broker)) {
      for (const node of nodes) {
        const hash = node.metadata?.api_hash ?? '';
        if (releasesOf(name).has(hash)) continue;
        try {
          const checks = { hasKey, describe, taken: takenBesides(name) };
          releasesOf(name).set(hash, await readDeclaration(gateway, node, checks));
          installAll();
        } catch (error) {
          // Other nodes and services are asked all the same: this one may not answer for long.
          failures.push(error);
        }
      }
      if (forgetGone(name, nodes)) installAll();
    }
    if (failures.length > 0) throw failures[0];
  }

  const learn = () => (running ??= learnAll().finally(() => (running = undefined)));
  // The job logs what fails, and repeats it.
  const learnSoon = () => void learn().catch(() => undefined);
  return {
    current: () => known,
    learn,
    learnSoon,
    start(gateway, install) {
      started = { gateway, install };
      job = startJob({ name: 'routes of further services', every_ms: LEARN_EVERY_MS, run: learn }, gateway.logger);
      learnSoon();
    },
    async stop() {
      await job?.stop();
    },
  };
}

/** Returns the nodes of each service that declares an API. */
function declaringServices({ registry }: ServiceBroker): Map<string, Registered[]> {
  const list = registry.getServiceList({ onlyAvailable: true }) as unknown as Registered[];
  return Map.groupBy(
    list.filter(({ metadata }) => typeof metadata?.api_hash === 'string'),
    ({ name }) => name,
  );
}

interface Checks {
  hasKey: (service: string) => boolean;
  describe: (apis: KnownApis) => Promise<unknown>;
  /** The routes of this project and of other services. */
  taken: readonly DeclaredRoute[];
}

/**
 * Asks a node what its service declares. A declaration that cannot be used is logged.
 * @throws the fault of a call that got no answer
 */
async function readDeclaration(
  { broker, logger: log }: Gateway,
  { name, nodeID }: Registered,
  { hasKey, describe, taken }: Checks,
): Promise<Declared> {
  try {
    if (!hasKey(name)) throw new DeclarationFault(`${callerKeyVariable(name)} is not set`);
    const options = { nodeID, timeout: CALL_TIMEOUT_MS };
    const { api: given } = await broker.call<{ api: unknown }, object>(describeApiCommand(name).name, {}, options);
    const api = checkedApi(name, given, taken);
    addErrors(api.errors ?? {}, name);
    await describe(joinedApis([api]));
    log.info('routes of a further service are served', { further_service: name, routes: api.routes.length });
    return api;
  } catch (error) {
    // A call that failed is repeated: the declaration is still unknown.
    if (isOfCall(error)) throw error;
    log.error('the routes of a further service cannot be served', { further_service: name, ...faultOf(error) });
    return null;
  }
}

function usable(releases: ReadonlyMap<string, Declared>): ServiceApi[] {
  return [...releases.values()].filter((api) => api !== null);
}

/** Whether Moleculer could not make a call, or has got no answer. */
function isOfCall(error: unknown): boolean {
  return (error as { retryable?: unknown }).retryable === true;
}
