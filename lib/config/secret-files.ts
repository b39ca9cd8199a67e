import { readFileSync } from 'node:fs';
import { databaseUrlVariable, TABLE_SERVICES, type TableService } from './service-names.ts';
import { StartupError } from './startup-error.ts';

/**
 * The settings that hold a secret, or a key too long for a variable. For each X of them X_FILE may name a file that
 * holds it: an environment shows in `docker inspect`, in crash reports and to every child process.
 */
export const SECRET_SETTINGS: readonly string[] = [
  ...['JWT_SECRET', 'JWT_PUBLIC_KEY', 'PIN_PEPPER'],
  ...['NATS_URL', 'NATS_PASSWORD', 'POSTGRES_URL', 'POSTGRES_PASSWORD'],
  ...TABLE_SERVICES.flatMap((service) => [databaseUrlVariable(service), databasePasswordVariable(service)]),
];

/** The variable that holds the password of a service's database, where its URL has none. */
export function databasePasswordVariable(service: TableService): string {
  return `${service.toUpperCase()}_DATABASE_PASSWORD`;
}

/**
 * The environment with each X_FILE of a secret X read into X.
 * @throws {StartupError} for a file that cannot be read or is empty, or where X is set as well
 */
export function readSecretFiles(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const complete = { ...env };
  for (const name of SECRET_SETTINGS) {
    const path = env[`${name}_FILE`];
    if (path === undefined) continue;
    if (env[name] !== undefined) throw new StartupError(`${name} and ${name}_FILE are both set: remove one of them.`);
    complete[name] = readSecretFile(`${name}_FILE`, path);
  }
  return complete;
}

function readSecretFile(variable: string, path: string): string {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    // Not the path: people put the secret itself there by mistake.
    const code = (error as NodeJS.ErrnoException).code ?? 'unreadable';
    throw new StartupError(`${variable} names a file that cannot be read (${code}).`);
  }
  // Editors and `echo` end a file with a line break, which belongs to no secret.
  const secret = text.replace(/\r?\n$/, '');
  if (secret.trim() === '') throw new StartupError(`${variable} names an empty file.`);
  return secret;
}
