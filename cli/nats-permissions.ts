import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { permissionsFile } from '../lib/transport/nats-permissions.ts';
import { parseOtherServices } from '../lib/transport/other-services.ts';
import { readArguments, runOnce } from '../lib/node/run-once.ts';

const DIRECTORY = join(import.meta.dirname, '..', 'deploy', 'nats');

const USAGE = 'Usage: npm run nats:permissions [-- --doubled]   (--doubled adds a second user for each login)';

/** npm run nats:permissions: writes deploy/nats/permissions.conf from the contracts and deploy/nats/other-services.json. */
await runOnce(async () => {
  const { doubled = false } = readArguments(USAGE, { options: { doubled: { type: 'boolean' } } }).values;
  const others = parseOtherServices(await readFile(join(DIRECTORY, 'other-services.json'), 'utf8'));
  await writeFile(join(DIRECTORY, 'permissions.conf'), permissionsFile(others, doubled));
});
