import { developmentCallerKey, loadOrCreateSecrets, newSecret } from '../../lib/config/secrets.ts';
import { forTableServices, TABLE_SERVICES } from '../../lib/config/service-names.ts';
import { rollTo } from '../e2e/rolling.ts';

const NEW_KEYS = forTableServices(newSecret);

// The keys with which the gateway signs callers are replaced in three passes: see docs/deployment.md.
rollTo(['same', 'same', 'same'], undefined, async (pass, { dataDir }) => {
  const secrets = await loadOrCreateSecrets(dataDir);
  const keys = TABLE_SERVICES.map((service) => {
    const [old, made] = [developmentCallerKey(secrets, service), NEW_KEYS[service]];
    return [`${service.toUpperCase()}_CALLER_KEY`, [`${old},${made}`, `${made},${old}`, made][pass]];
  });
  return Object.fromEntries(keys) as NodeJS.ProcessEnv;
});
