import { ServiceBroker, type ServiceSchema, type ServiceSettingSchema } from 'moleculer';
import ApiGateway from 'moleculer-web';
import { natsConnectOptions } from '../../lib/config/server-urls.ts';
import { API_BASE } from '../../lib/contracts/api.ts';
import type { Worker } from '../harness/worker.ts';
import type { BareNodeInput, BarePart } from './bare-nodes.ts';
import { bareRows } from './bare-rows.ts';
import { hopA, hopB, hopC } from './empty-hops.ts';

/** The timeout of the real services. Without a timeout, Moleculer waits permanently and needs no timer. */
const REQUEST_TIMEOUT_MS = 10_000;

const services: Record<BarePart, (input: BareNodeInput) => ServiceSchema> = {
  route: ({ port }) =>
    gateway('route', port, ['rows'], {
      path: '/',
      mappingPolicy: 'restrict',
      bodyParsers: false,
      logging: false,
      aliases: {
        'GET associations/my': 'rows.my',
        'GET associations/:association_id/members': 'rows.members',
        'GET associations/:association_id/ledger': 'rows.ledger',
        'GET associations/:association_id/meetings/:meeting_id/dues': 'rows.dues',
      },
    }),
  rows: ({ databases }) => bareRows(databases),
  gateway: ({ port }) =>
    gateway('gateway', port, ['a', 'b', 'c'], {
      path: API_BASE,
      aliases: { 'POST /associations/:association_id/meetings/:meeting_id/contribute': 'a.contribute' },
      bodyParsers: { json: true },
    }),
  a: () => hopA,
  b: () => hopB,
  c: () => hopC,
};

/** Creates a moleculer-web gateway with one route and without log lines. It listens once its services are available. */
function gateway(name: string, port: number, dependencies: string[], route: object): ServiceSchema {
  const settings = {
    port,
    ip: '127.0.0.1',
    routes: [route],
    logRequest: null,
    logRequestParams: null,
    logResponse: null,
    logRouteRegistration: null,
  } as ServiceSettingSchema;
  return { name, dependencies, mixins: [ApiGateway], settings };
}

/** Starts a node of startBareNodes(). */
export default async function bareNode(input: BareNodeInput): Promise<Worker> {
  const { parts, namespace, natsUrl } = input;
  const broker = new ServiceBroker({
    namespace,
    nodeID: `${namespace}-${parts.join('-')}`,
    logger: false,
    transporter: { type: 'NATS', options: natsConnectOptions(natsUrl) },
    requestTimeout: REQUEST_TIMEOUT_MS,
  });
  for (const part of parts) broker.createService(services[part](input));
  await broker.start();
  return { run: () => Promise.resolve(), stop: () => broker.stop() };
}
