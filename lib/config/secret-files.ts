import { readFileSync } from 'node:fs';
import { StartupError } from './startup-error.ts';

/**
 * Returns the environment with each file X_FILE of a secret X read into X.
 * @param names the variables that hold a secret
 * @throws StartupError if a file cannot be read or is empty, or if X is set as well
 */
export function readSecretFiles(env: NodeJS.ProcessEnv, names: readonly string[]): NodeJS.ProcessEnv {
  const complete = { ...env };
  for (const name of names) {
    const path = env[`${name}_FILE`];
    if (path === undefined) continue;
    if (env[name] !== undefined) throw new StartupError(`${name} and ${name}_FILE are both set: remove one of them.`);
    complete[name] = readNamedFile(`${name}_FILE`, path);
  }
  return complete;
}

/** @throws StartupError if the file cannot be read or is empty */
export function readNamedFile(variable: string, path: string): string {
  let content: string;
  try {
    content = readFileSync(path, 'utf8');
  } catch (error) {
    // The message does not show the path, as people put the secret there by mistake.
    const code = (error as NodeJS.ErrnoException).code ?? 'unreadable';
    throw new StartupError(`${variable} names a file that cannot be read (${code}).`);
  }
  // Editors and `echo` end a file with a line break, which is not part of the secret.
  const secret = content.replace(/\r?\n$/, '');
  if (secret.trim() === '') throw new StartupError(`${variable} names an empty file.`);
  return secret;
}

/** Drops empty variables: compose files and CI pass variables that are not set as empty strings. */
export function withoutEmpty(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value.trim() !== ''));
}
