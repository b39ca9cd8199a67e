import { setTimeout as sleep } from 'node:timers/promises';
import { TABLE_SERVICES, type ServiceName } from '../../lib/config/service-names.ts';
import { BALANCED_DRAIN_DELAY_S, openBalancer, type Balancer } from './balancer.ts';
import { APART, startCluster, type Cluster, type Member } from './cluster.ts';
import { freePort } from './free-port.ts';

/** Load before the first restart and after each. */
export const SETTLED_MS = 500;

/** One of the two processes of a service, before and after its restarts. */
export interface DoubledProcess {
  service: ServiceName;
  member: Member;
  /** The port of a gateway. */
  port: string | undefined;
}

/** Two processes of each service, and a balancer before the gateways. */
export interface DoubledCluster {
  cluster: Cluster;
  balancer: Balancer;
  processes: readonly DoubledProcess[];
  /** Restarts a process with these variables, and waits until it is used again. @returns its exit code */
  restart(each: DoubledProcess, settings: NodeJS.ProcessEnv, from?: RestartOptions): Promise<number | null>;
  stop(): Promise<void>;
}

export interface RestartOptions {
  /** The checkout whose services the process runs; this one if absent. */
  root?: string | undefined;
  settled_ms?: number;
}

/** @param root the checkout whose services run at first; this one if absent */
export async function startDoubledCluster(settings: NodeJS.ProcessEnv, root?: string): Promise<DoubledCluster> {
  const stops: (() => Promise<void>)[] = [];
  const stop = async (): Promise<void> => {
    for (const each of stops.splice(0).reverse()) await each();
  };
  try {
    const cluster = await startCluster({
      processes: [...APART, ...TABLE_SERVICES.map((name) => [name])],
      settings: { DRAIN_DELAY_S: BALANCED_DRAIN_DELAY_S, ...settings },
      root,
    });
    stops.push(() => cluster.stop());
    const balancer = await openBalancer();
    stops.push(() => balancer.stop());
    const ports = [new URL(cluster.origin).port, String(await freePort())];
    await cluster.start(['gateway'], { settings: { PORT: ports[1] }, root });
    const processes = cluster.members().map((member): DoubledProcess => {
      const service = member.services[0] as ServiceName;
      return { service, member, port: service === 'gateway' ? ports.shift() : undefined };
    });
    for (const { port } of processes) {
      if (port === undefined) continue;
      balancer.add(Number(port));
      await balancer.untilUsed(Number(port));
    }
    return {
      cluster,
      balancer,
      processes,
      stop,
      async restart(each, changed, { root: from, settled_ms = SETTLED_MS } = {}) {
        const code = await each.member.end();
        const own = each.port === undefined ? {} : { PORT: each.port };
        each.member = await cluster.start([each.service], { settings: { ...own, ...changed }, root: from });
        if (each.port !== undefined) await balancer.untilUsed(Number(each.port));
        await sleep(settled_ms);
        return code;
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
