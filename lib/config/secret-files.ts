import { readFileSync } from 'node:fs';
import { StartupError } from './startup-error.ts';
import { namesOf, VARIABLES, type Variable, type VariableKey } from './variables.ts';

/**
 * The variables that hold a secret, or a key too long for a variable. For each variable X of them, X_FILE may name a file
 * that holds the value: environments are visible in `docker inspect`, in crash reports and to every child process.
 */
export const IN_FILES: readonly string[] = Object.entries<Variable<unknown>>(VARIABLES)
  .filter(([, { inFile }]) => inFile === true)
  .flatMap(([key]) => namesOf(key as VariableKey));

/**
 * Returns the environment with each file X_FILE of a secret X read into X.
 * @throws StartupError if a file cannot be read or is empty, or if X is set as well
 */
export function readSecretFiles(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const complete = { ...env };
  for (const name of IN_FILES) {
    const path = env[`${name}_FILE`];
    if (path === undefined) continue;
    if (env[name] !== undefined) throw new StartupError(`${name} and ${name}_FILE are both set: remove one of them.`);
    complete[name] = readSecretFile(`${name}_FILE`, path);
  }
  return complete;
}

function readSecretFile(variable: string, path: string): string {
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
