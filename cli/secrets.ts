import { chmod, mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { newSecret } from '../lib/config/secrets.ts';
import { ALL_SERVICES, DATABASE_SERVICES, OPERATOR } from '../lib/config/service-names.ts';
import { createOnce, exists } from '../lib/files/create-once.ts';
import { createKeyFile } from '../lib/pin/key-file.ts';
import { runOnce } from '../lib/node/run-once.ts';

// docker-compose.yml mounts the files from ./secrets.
const DIRECTORY = resolve(process.argv[2] ?? join(import.meta.dirname, '..', 'secrets'));
// NATS has a login for each service and for operators, and one for the routes between its servers.
const NATS_LOGINS = [...ALL_SERVICES, OPERATOR, 'route'].map((login) => `nats-${login}`);
const PASSWORDS = ['postgres', ...DATABASE_SERVICES, ...NATS_LOGINS].map((name) => `${name}-password`);
const CALLER_KEYS = DATABASE_SERVICES.map((service) => `${service}-caller-key`);
// Each by the name of its variable.
const KEYS = ['jwt-secret', 'pin-pepper', 'webhook-secret-key', 'reminders-code-key'];
// The directory keeps other users of the machine out. The files are readable for all: each is mounted into a container,
// where another user, and not its owner, reads it.
const DIRECTORY_MODE = 0o700;
const FILE_MODE = 0o644;

/** npm run secrets: creates the files for docker-compose.yml in ./secrets. Existing files stay as they are. */
async function main(): Promise<void> {
  await mkdir(DIRECTORY, { recursive: true });
  await chmod(DIRECTORY, DIRECTORY_MODE);
  for (const name of [...PASSWORDS, ...CALLER_KEYS, ...KEYS]) {
    await make(name, (path) => createOnce(path, () => `${newSecret()}\n`));
  }
  await make('pin-keys.json', (path) => createKeyFile(path, new Date()));
}

async function make(name: string, create: (path: string) => Promise<void>): Promise<void> {
  const path = join(DIRECTORY, name);
  if (!(await exists(path))) {
    await create(path);
    console.log(`made ${path}`);
  }
  await chmod(path, FILE_MODE);
}

await runOnce(main);
