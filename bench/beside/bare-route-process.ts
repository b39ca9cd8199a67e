import { once } from 'node:events';
import { ServiceBroker } from 'moleculer';
import type { ServiceSchema, ServiceSettingSchema } from 'moleculer';
import ApiGateway from 'moleculer-web';
import { natsConnectOptions } from '../../lib/config/server-urls.ts';
import { bareRows } from './bare-rows.ts';
import type { BarePlan, BareReady } from './bare-route.ts';

/** The route alone: each alias calls an action with the parameters of the path and the query. */
function bareGateway(port: number): ServiceSchema {
  return {
    name: 'route',
    mixins: [ApiGateway],
    settings: {
      port,
      ip: '127.0.0.1',
      logRequest: null,
      logRequestParams: null,
      logResponse: null,
      logRouteRegistration: null,
      routes: [
        {
          path: '/',
          mappingPolicy: 'restrict',
          bodyParsers: false,
          logging: false,
          aliases: {
            'GET ready': 'rows.ready',
            'GET associations/my': 'rows.my',
            'GET associations/:association_id/members': 'rows.members',
            'GET associations/:association_id/ledger': 'rows.ledger',
            'GET associations/:association_id/meetings/:meeting_id/dues': 'rows.dues',
          },
        },
      ],
    } as ServiceSettingSchema,
  };
}

// Whoever started it has died.
process.once('disconnect', () => process.exit());

const [plan] = (await once(process, 'message')) as [BarePlan];
const { parts, port, namespace, nats_url, databases } = plan;
const broker = new ServiceBroker({
  namespace,
  nodeID: `${namespace}-${parts.join('-')}`,
  logger: false,
  transporter: { type: 'NATS', options: natsConnectOptions(nats_url) },
});
if (parts.includes('rows')) broker.createService(bareRows(databases));
if (parts.includes('route')) broker.createService(bareGateway(port));
await broker.start();
process.send?.({ ready: true } satisfies BareReady);
