/**
 * Services that take up stored plans at once instead of after ten seconds, and whose process kills itself, as power loss
 * would, when a saga comes to a named step. Which services it starts, and where it dies, its parent tells it by message:
 * first `{ services, diesAt? }`, then `{ diesAt }` any number of times.
 */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ServiceName } from '../../lib/config/service-names.ts';
import { loadSettings } from '../../lib/config/settings.ts';
import { attachInfrastructure } from '../../lib/embedded/infrastructure.ts';
import { createRuntime } from '../../lib/runtime/create-runtime.ts';
import { startNode } from '../../lib/runtime/node.ts';
import type { ServiceFactory } from '../../lib/runtime/node.ts';
import { contributionService } from '../../services/contribution/contribution.service.ts';
import { gatewayService } from '../../services/gateway/gateway.service.ts';
import { governanceService } from '../../services/governance/governance.service.ts';
import { membershipService } from '../../services/membership/membership.service.ts';
import { treasuryService } from '../../services/treasury/treasury.service.ts';

const SWEEP_EVERY_MS = 100;
/** Longer than a request drives its own plan when nothing dies. */
const STALE_AFTER_MS = 800;
const DEADLINE_MS = 600;
const REQUEST_TIMEOUT_MS = 1_200;
const HEARTBEAT_INTERVAL_S = 0.6;
const HEARTBEAT_TIMEOUT_S = 1.5;

const FACTORIES: Record<ServiceName, ServiceFactory> = {
  gateway: gatewayService,
  membership: (runtime) =>
    membershipService(runtime, { timings: { sweep_every_ms: SWEEP_EVERY_MS, stale_after_ms: STALE_AFTER_MS } }),
  contribution: (runtime) =>
    contributionService(runtime, {
      timings: {
        transfer_deadline_ms: DEADLINE_MS,
        settlement_deadline_ms: DEADLINE_MS,
        in_flight_wait_ms: DEADLINE_MS,
        sweep_every_ms: SWEEP_EVERY_MS,
        stale_after_ms: STALE_AFTER_MS,
      },
    }),
  treasury: (runtime) =>
    treasuryService(runtime, { timings: { recover_every_ms: SWEEP_EVERY_MS, stale_after_ms: STALE_AFTER_MS } }),
  governance: (runtime) =>
    governanceService(runtime, {
      timings: {
        execution_wait_ms: DEADLINE_MS,
        sweep_every_ms: SWEEP_EVERY_MS,
        stale_after_ms: STALE_AFTER_MS,
      },
    }),
};

interface Order {
  services?: ServiceName[];
  diesAt?: string;
}

const [{ services = [], diesAt }] = (await once(process, 'message')) as [Order];
let deadlyStep = diesAt;
process.on('message', (order: Order) => (deadlyStep = order.diesAt));
process.on('disconnect', () => process.exit(1));
const settings = loadSettings();
const runtime = await createRuntime(settings, await attachInfrastructure(settings, services));
const reached = async (step: string): Promise<void> => {
  if (step !== deadlyStep) return;
  process.kill(process.pid, 'SIGKILL');
  // Nothing may happen between the signal and the end.
  await sleep(60_000);
};
const node = await startNode({
  settings,
  services: services.map((name) => FACTORIES[name]),
  runtime: { ...runtime, reached },
  // A node that was killed is to be noticed within a second, not three.
  broker: {
    heartbeatInterval: HEARTBEAT_INTERVAL_S,
    heartbeatTimeout: HEARTBEAT_TIMEOUT_S,
    requestTimeout: REQUEST_TIMEOUT_MS,
  },
});
process.on('SIGTERM', () => void node.stop().then(() => process.exit(0)));
process.stdout.write(`Association service ready: ${services.join(', ')}\n`);
