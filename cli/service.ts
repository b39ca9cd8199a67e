import { loginOf, type AnyService } from '../lib/config/service-names.ts';
import { loadSettings } from '../lib/config/settings.ts';
import { attachInfrastructure } from '../lib/embedded/infrastructure.ts';
import { serviceNames } from './catalogue.ts';
import { runServices } from './run-services.ts';
import { run } from '../lib/node/run.ts';

/** npm run service -- <name>...: runs only the named services, any number of times, on any number of machines. */
const named = (): AnyService[] => serviceNames(process.argv.slice(2));
await run(
  () => loadSettings(process.env, loginOf(named())),
  async (settings, to) => {
    const names = named();
    const { node, url, metricsUrl } = await runServices(
      settings,
      names,
      () => attachInfrastructure(settings, names),
      to,
    );
    const where = url ?? `node ${node.broker.nodeID}`;
    const took = `(${process.uptime().toFixed(1)}s)`;
    return `Association service ready: ${names.join(', ')} on ${where}, metrics on ${metricsUrl} ${took}`;
  },
);
