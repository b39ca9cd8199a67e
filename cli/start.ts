import { FURTHER_SERVICES, SERVICES } from '../lib/config/service-names.ts';
import { loadSettings } from '../lib/config/settings.ts';
import { serviceVariable } from '../lib/config/variables.ts';
import { furtherWithDatabases } from '../lib/embedded/databases.ts';
import { startInfrastructure } from '../lib/embedded/infrastructure.ts';
import { runServices } from './run-services.ts';
import { run } from '../lib/node/run.ts';

/** npm start: runs every service in one process, with embedded servers where the environment names none. */
await run(loadSettings, async (settings, to) => {
  const further = furtherWithDatabases(settings);
  for (const name of FURTHER_SERVICES.filter((each) => !further.includes(each))) {
    to.log(`${name} is not started: set ${serviceVariable('SERVICE_DATABASE_URL', name)} to start it.`);
  }
  const services = [...SERVICES, ...further];
  const { url } = await runServices(settings, services, () => startInfrastructure(settings, to.log, to.fail), to);
  return `Association service ready: ${url ?? 'no gateway'} (${process.uptime().toFixed(1)}s)`;
});
