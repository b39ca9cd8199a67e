/**
 * Services with other timings than usual: impatient ones recover what was left unfinished at once instead of after ten
 * seconds. Their process kills itself, as power loss would, when a saga comes to a named step. The parent says what to
 * start, and where to die, by message: first a whole order, then `{ diesAt }` any number of times.
 */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ServiceName } from '../../lib/config/service-names.ts';
import { loadSettings } from '../../lib/config/settings.ts';
import { attachInfrastructure } from '../../lib/embedded/infrastructure.ts';
import type { ProbeTimings } from '../../lib/db/prober.ts';
import { brokerOptions } from '../../moleculer.config.ts';
import { createRuntime } from '../../lib/node/create-runtime.ts';
import { startNode, type ServiceFactory } from '../../lib/node/node.ts';

const IMPATIENT = {
  recover_every_ms: 100,
  /** Longer than a request runs its own saga when nothing dies. */
  stale_after_ms: 800,
  call_timeout_ms: 600,
};
const IMPATIENT_CONTRIBUTION = { ...IMPATIENT, settlement_timeout_ms: 600, in_flight_wait_ms: 600 };
/** A node that was killed is noticed within a second or two, not three. */
const IMPATIENT_BROKER = { heartbeatInterval: 0.6, heartbeatTimeout: 1.5, requestTimeout: 1_200 };

interface Order {
  services?: ServiceName[];
  diesAt?: string;
  isImpatient?: boolean;
  probeTimings?: ProbeTimings;
  /** Variables beside those that the process was started with. */
  settings?: NodeJS.ProcessEnv;
}

const [order] = (await once(process, 'message')) as [Order];
const { services = [], isImpatient = false } = order;
const timings = isImpatient ? IMPATIENT : {};

/** Loads one service: what another process runs would only cost time here. */
const LOAD: Record<ServiceName, () => Promise<ServiceFactory>> = {
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
};

let deadlyStep = order.diesAt;
process.on('message', (next: Order) => (deadlyStep = next.diesAt));
process.on('disconnect', () => process.exit(1));
const settings = loadSettings({ ...process.env, ...order.settings });
const runtime = await createRuntime(settings, await attachInfrastructure(settings, services));
const reached = async (step: string): Promise<void> => {
  if (step !== deadlyStep) return;
  process.kill(process.pid, 'SIGKILL');
  // Nothing may happen between the signal and the end.
  await sleep(60_000);
};
const node = await startNode({
  services: await Promise.all(services.map((service) => LOAD[service]())),
  runtime: { ...runtime, reached, probeTimings: order.probeTimings ?? runtime.probeTimings },
  broker: { ...brokerOptions(settings, runtime.resources.natsUrl), ...(isImpatient ? IMPATIENT_BROKER : {}) },
});
process.on('SIGTERM', () => void node.stop().then(() => process.exit(0)));
process.stdout.write(`Association service ready: ${services.join(', ')}\n`);
