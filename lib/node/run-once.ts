import { parseArgs, type ParseArgsConfig } from 'node:util';
import { StartupError } from '../config/startup-error.ts';

/** Runs a command to its end. A StartupError, which the user can fix, becomes one line on stderr and exit code 1. */
export async function runOnce(command: () => Promise<void> | void): Promise<void> {
  try {
    await command();
  } catch (error) {
    if (!(error instanceof StartupError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}

/**
 * Reads the command line.
 * @throws StartupError with the usage line, for arguments that `config` does not allow
 */
export function readArguments<T extends ParseArgsConfig>(usage: string, config: T): ReturnType<typeof parseArgs<T>> {
  try {
    return parseArgs(config);
  } catch {
    throw new StartupError(usage);
  }
}
