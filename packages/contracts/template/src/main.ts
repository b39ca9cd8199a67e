/** npm start: runs the service until SIGTERM or SIGINT. A mistake in the settings is one line on stderr. */
import { readServiceSettings, run } from '@association-service/contracts/service';
import { NAME } from './contracts.ts';
import { startService } from './service.ts';

await run(
  () => readServiceSettings(NAME),
  async (settings, { onStop }) => {
    const { metricsUrl } = await startService(settings, onStop);
    return `${NAME}: service ready, metrics on ${metricsUrl}`;
  },
);
