import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StartupError } from '../lib/config/startup-error.ts';
import { permissionsFile, type OtherService } from '../lib/transport/nats-permissions.ts';
import { readArguments, runOnce } from '../lib/node/run-once.ts';

const DIRECTORY = join(import.meta.dirname, '..', 'deploy', 'nats');
const OTHERS = join(DIRECTORY, 'other-services.json');

const USAGE = 'Usage: npm run nats:permissions [-- --doubled]   (--doubled adds a second user for each login)';

/** npm run nats:permissions: writes deploy/nats/permissions.conf from the contracts and deploy/nats/other-services.json. */
await runOnce(async () => {
  const { doubled = false } = readArguments(USAGE, { options: { doubled: { type: 'boolean' } } }).values;
  await writeFile(join(DIRECTORY, 'permissions.conf'), permissionsFile(await readOthers(), doubled));
});

async function readOthers(): Promise<OtherService[]> {
  try {
    return JSON.parse(await readFile(OTHERS, 'utf8')) as OtherService[];
  } catch (error) {
    throw new StartupError(`Cannot read ${OTHERS}: ${(error as Error).message}`);
  }
}
