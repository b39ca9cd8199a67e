import { loadSettings } from '../lib/config/settings.ts';
import { startInfrastructure } from '../lib/embedded/infrastructure.ts';
import { hostAndPort } from '../lib/config/server-urls.ts';
import { run } from '../lib/node/run.ts';

/** npm run infra: runs only the embedded servers, for services that are started one by one with the same DATA_DIR. */
await run(loadSettings, async (settings, to) => {
  const servers = await startInfrastructure(settings, to.log, to.fail);
  to.onStop(() => servers.stop());
  const { natsUrl, adminUrl } = servers;
  const postgres = adminUrl === undefined ? '' : `, Postgres on ${hostAndPort(adminUrl, 5_432)}`;
  const took = `(${process.uptime().toFixed(1)}s)`;
  return `Servers ready: NATS on ${hostAndPort(natsUrl, 4_222)}${postgres}; their URLs are in ${settings.dataDir}/endpoints.json ${took}`;
});
