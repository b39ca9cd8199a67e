/** docker-compose.yml, as far as tests read it. */
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { CORE_SCHEMA, load, mergeTag } from 'js-yaml';
import type { DeployedContainer } from './deployed.ts';
import { ROOT } from './process.ts';

export interface ComposeService {
  command?: string[];
  environment: Record<string, string | null>;
  secrets: string[];
  ports?: string[];
}

export interface Compose {
  services: Record<string, ComposeService>;
  secrets: Record<string, { file: string }>;
}

export function readCompose(): Compose {
  const text = readFileSync(join(ROOT, 'docker-compose.yml'), 'utf8');
  return load(text, { schema: CORE_SCHEMA.withTags(mergeTag) }) as Compose;
}

/**
 * Returns a service's container, without the variables that come from outside the file.
 * @throws Error if there is no such service, or a secret that is not in ./secrets
 */
export function composeContainer({ services, secrets }: Compose, name: string): DeployedContainer {
  const service = services[name];
  if (service === undefined) throw new Error(`There is no container ${name}`);
  const env = Object.entries(service.environment).flatMap(([variable, value]): [string, string][] =>
    value === null ? [] : [[variable, withDefaults(value)]],
  );
  const mounted = service.secrets.map((secret): [string, string] => {
    const file = withDefaults(secrets[secret]?.file ?? '');
    if (!file.startsWith('./secrets/')) throw new Error(`${name}: the secret ${secret} is not in ./secrets`);
    return [`/run/secrets/${secret}`, basename(file)];
  });
  return { args: service.command ?? [], env: Object.fromEntries(env), secrets: Object.fromEntries(mounted) };
}

/** Resolves `${NAME-default}` as without the variable. */
function withDefaults(text: string): string {
  return text.replace(/\$\{\w+:?-([^}]*)\}/, '$1');
}
