import { endFile } from './file-end.ts';
import { startServers } from './servers.ts';

/** Maximum time until the process exits after the last test; then the run fails instead of hanging. */
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
    process.stderr.write(`The tests are done, but the process is kept alive by: ${open}\n`);
    process.exit(1);
  }, EXIT_MAX_MS).unref();
}
