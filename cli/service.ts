import { loadSettings } from '../lib/config/settings.ts';
import { attachInfrastructure } from '../lib/embedded/infrastructure.ts';
import { serviceNames } from './catalogue.ts';
import { runServices } from './run-services.ts';
import { run } from './run.ts';

/** npm run service -- <name>...: runs only the named services, any number of times, on any number of machines. */
await run(loadSettings, async (settings, to) => {
  const names = serviceNames(process.argv.slice(2));
  const { node, url, metricsUrl } = await runServices(settings, names, () => attachInfrastructure(settings, names), to);
  const where = url ?? `node ${node.broker.nodeID}`;
  const took = `(${process.uptime().toFixed(1)}s)`;
  return `Association service ready: ${names.join(', ')} on ${where}, metrics on ${metricsUrl} ${took}`;
});
