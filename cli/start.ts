import { SERVICES } from '../lib/config/service-names.ts';
import { loadSettings } from '../lib/config/settings.ts';
import { startInfrastructure } from '../lib/embedded/infrastructure.ts';
import { runServices } from './run-services.ts';
import { run } from '../lib/node/run.ts';

/** npm start: runs every service in one process, with embedded servers where the environment names none. */
await run(loadSettings, async (settings, to) => {
  const { url } = await runServices(settings, SERVICES, () => startInfrastructure(settings, to.log, to.fail), to);
  return `Association service ready: ${url ?? 'no gateway'} (${process.uptime().toFixed(1)}s)`;
});
