/**
 * Runs services with test timings: impatient services recover unfinished sagas almost immediately instead of after ten
 * seconds. The process kills itself with SIGKILL when it reaches a given fault point. The parent sends a whole order
 * first, which names the services, and then `{ diesAt }` any number of times.
 */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AnyService } from '../../lib/config/service-names.ts';
import { hosted } from '../../cli/host-service.ts';
import { loadSettings } from '../../lib/config/settings.ts';
import { attachInfrastructure } from '../../lib/embedded/infrastructure.ts';
import type { ProbeTimings } from '../../lib/db/prober.ts';
import { brokerOptions } from '../../moleculer.config.ts';
import { createRuntime } from '../../lib/node/create-runtime.ts';
import { uuidV7Source } from '../../lib/node/ids.ts';
import { startNode, type ServiceFactory } from '../../lib/node/node.ts';
import type { Runtime } from '../../lib/node/runtime.ts';

const IMPATIENT = {
  recover_every_ms: 250,
  /** Longer than a request runs its own saga if no process is killed. */
  stale_after_ms: 800,
  call_timeout_ms: 600,
};
const IMPATIENT_CONTRIBUTION = { ...IMPATIENT, settlement_timeout_ms: 600, in_flight_wait_ms: 600 };
const IMPATIENT_BROKER = { requestTimeout: 1_200 };

interface Order {
  services?: AnyService[];
  diesAt?: string | readonly string[];
  isImpatient?: boolean;
  probeTimings?: ProbeTimings;
  /** The difference of the services' clock from the system's. */
  clock_offset_ms?: number;
  /** Variables in addition to those with which the process was started. */
  settings?: NodeJS.ProcessEnv;
}

const [order] = (await once(process, 'message')) as [Order];
const { services = [], isImpatient = false, clock_offset_ms = 0 } = order;
const timings = isImpatient ? IMPATIENT : {};

/** Loads only the modules of the services that run here, to save time. */
const LOAD: Record<AnyService, () => Promise<ServiceFactory<Runtime>>> = {
  async membership() {
    const { membershipService } = await import('../../services/membership/membership.service.ts');
    return (runtime) => membershipService(runtime, { timings });
  },
  async contribution() {
    const { contributionService } = await import('../../services/contribution/contribution.service.ts');
    return (runtime) => contributionService(runtime, { timings: isImpatient ? IMPATIENT_CONTRIBUTION : {} });
  },
  async treasury() {
    const { treasuryService } = await import('../../services/treasury/treasury.service.ts');
    return (runtime) => treasuryService(runtime, { timings });
  },
  async governance() {
    const { governanceService } = await import('../../services/governance/governance.service.ts');
    return (runtime) => governanceService(runtime, { timings });
  },
  gateway: async () => (await import('../../services/gateway/gateway.service.ts')).gatewayService,
  webhooks: async () => hosted('webhooks', (await import('../../services/webhooks/src/service.ts')).webhooks),
  reminders: async () => hosted('reminders', (await import('../../services/reminders/src/service.ts')).reminders),
};

let deadlySteps = [order.diesAt].flat();
process.on('message', (next: Order) => (deadlySteps = [next.diesAt].flat()));
process.on('disconnect', () => process.exit(1));
const settings = loadSettings({ ...process.env, ...order.settings });
const runtime = await createRuntime(settings, await attachInfrastructure(settings, services));
const clock = () => new Date(Date.now() + clock_offset_ms);
const reached = async (step: string): Promise<void> => {
  if (!deadlySteps.includes(step)) return;
  process.kill(process.pid, 'SIGKILL');
  // No code may run between the signal and the end of the process.
  await sleep(60_000);
};
const node = await startNode({
  drain_delay_ms: settings.drainDelayS * 1_000,
  services: await Promise.all(services.map((service) => LOAD[service]())),
  runtime: {
    ...runtime,
    clock,
    systemClock: clock,
    newId: uuidV7Source(clock),
    reached,
    probeTimings: order.probeTimings ?? runtime.probeTimings,
  },
  broker: { ...brokerOptions(settings, runtime.resources.natsUrl), ...(isImpatient ? IMPATIENT_BROKER : {}) },
});
process.on('SIGTERM', () => void node.stop().then(() => process.exit(0)));
process.stdout.write(`Association service ready: ${services.join(', ')}\n`);
