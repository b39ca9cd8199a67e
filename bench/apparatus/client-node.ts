import { ServiceBroker } from 'moleculer';
import { loadSettings } from '../../lib/config/settings.ts';
import type { Answer, Command, CommandInput, Endpoint, EndpointInput } from '../../lib/contracts/action.ts';
import type { Cluster } from '../../test/harness/cluster.ts';
import { brokerOptions } from '../../moleculer.config.ts';

/** As long as the gateway waits at most for what a benchmark lets it do. */
const CALL_TIMEOUT_MS = 30_000;

/** A node of the cluster without services: calls actions as the gateway does, without the HTTP around them. */
export interface ClientNode {
  as<E extends Endpoint>(user_id: string, endpoint: E, input: Pick<EndpointInput<E>, 'path'>): Promise<Answer<E>>;
  /** Calls what only services call. */
  command<C extends Command>(command: C, input: CommandInput<C>): Promise<Answer<C>>;
  stop(): Promise<void>;
}

/** @param services those that have to be there before it is of use */
export async function startClientNode(cluster: Cluster, services: string[]): Promise<ClientNode> {
  const settings = loadSettings({ DATA_DIR: cluster.dataDir, LOG_LEVEL: 'warn' });
  const broker = new ServiceBroker({ ...brokerOptions(settings, cluster.natsUrl), nodeID: 'bench' });
  await broker.start();
  await broker.waitForServices(services);
  return {
    async as(user_id, endpoint, input) {
      const meta = { caller: { user_id, name: null, scopes: [] } };
      return await broker.call(endpoint.name, { query: {}, body: {}, ...input }, { meta, timeout: CALL_TIMEOUT_MS });
    },
    async command(command, input) {
      return await broker.call(command.name, input, { timeout: CALL_TIMEOUT_MS });
    },
    stop: () => broker.stop(),
  };
}
