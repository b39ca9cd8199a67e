import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StartupError } from '../lib/config/startup-error.ts';
import { permissionsFile, type OtherService } from '../lib/transport/nats-permissions.ts';
import { runOnce } from '../lib/node/run-once.ts';

const DIRECTORY = join(import.meta.dirname, '..', 'deploy', 'nats');
const OTHERS = join(DIRECTORY, 'other-services.json');

/** npm run nats:permissions: writes deploy/nats/permissions.conf from the contracts and deploy/nats/other-services.json. */
await runOnce(async () => {
  await writeFile(join(DIRECTORY, 'permissions.conf'), permissionsFile(await readOthers()));
});

async function readOthers(): Promise<OtherService[]> {
  try {
    return JSON.parse(await readFile(OTHERS, 'utf8')) as OtherService[];
  } catch (error) {
    throw new StartupError(`Cannot read ${OTHERS}: ${(error as Error).message}`);
  }
}
