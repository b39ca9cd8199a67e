import { StartupError } from '../lib/config/startup-error.ts';

/** Runs a command that ends by itself. What its user can mend, a StartupError, is one line on stderr and exit code 1. */
export async function runOnce(command: () => Promise<void> | void): Promise<void> {
  try {
    await command();
  } catch (error) {
    if (!(error instanceof StartupError)) throw error;
    console.error(error.message);
    process.exitCode = 1;
  }
}
