import { ALL_SERVICES, type AnyService } from '../../lib/config/service-names.ts';

/** How many processes each service has. */
const INSTANCES = [1, 2];

/** A process of the system under test, by its name in plans. */
export interface ProcessName {
  name: string;
  service: AnyService;
}

/** All processes of the system under test, in the order of plans. */
export const PROCESSES: readonly ProcessName[] = ALL_SERVICES.flatMap((service) =>
  INSTANCES.map((instance) => ({ name: `${service}-${String(instance)}`, service })),
);

/** How many NATS servers there are: the fewest that survive the loss of one. */
export const NATS_SERVERS = 3;
