import { endFile } from './file-end.ts';
import { startServers } from './servers.ts';

/** A process that is still there so long after the last test has something open: the run fails instead of hanging. */
const EXIT_MAX_MS = 30_000;

let stopServers: (() => Promise<void>) | undefined;

export async function mochaGlobalSetup(): Promise<void> {
  stopServers = await startServers();
}

export const mochaHooks = { afterAll: endFile };

export async function mochaGlobalTeardown(): Promise<void> {
  await stopServers?.();
  setTimeout(() => {
    const open = process.getActiveResourcesInfo().join(', ');
    process.stderr.write(`The tests are over, but something keeps the process: ${open}\n`);
    process.exit(1);
  }, EXIT_MAX_MS).unref();
}
