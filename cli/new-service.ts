import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { StartupError } from '../lib/config/startup-error.ts';
import { exists } from '../lib/files/create-once.ts';
import { readArguments, runOnce } from '../lib/node/run-once.ts';
import { requireFreeLogin } from '../lib/transport/nats-permissions.ts';

const USAGE = `Usage: npm run new:service -- <name> [--into <directory>]
Makes the folder <name> with a new service, by default beside this project. docs/extending.md says how to continue.`;

const ROOT = join(import.meta.dirname, '..');
const PACKAGE = join(ROOT, 'packages', 'contracts');
const TEMPLATE = join(PACKAGE, 'template');
const CONTRACTS = '@association-service/contracts';

/** The name of the service in the template. */
const PLACEHOLDER = 'newcomer';

type Versions = Record<string, string>;
const KINDS = ['dependencies', 'optionalDependencies', 'devDependencies'] as const;
type Package = Record<(typeof KINDS)[number], Versions>;

/** Copies the template under the service's name. Files that tools would read in this project begin with `_` there. */
async function copyTemplate(folder: string, name: string): Promise<void> {
  const entries = await readdir(TEMPLATE, { recursive: true, withFileTypes: true });
  for (const entry of entries.filter((each) => each.isFile() && each.name !== '_package.json')) {
    const to = join(folder, entry.parentPath.slice(TEMPLATE.length));
    await mkdir(to, { recursive: true });
    const text = await readFile(join(entry.parentPath, entry.name), 'utf8');
    await writeFile(join(to, fileName(entry.name)), named(text, name));
  }
}

/** Returns a file's name in the service: `_gitignore` becomes `.gitignore`, `_tsconfig.json` becomes `tsconfig.json`. */
function fileName(inTemplate: string): string {
  return inTemplate.replace(/^_/, inTemplate.endsWith('ignore') ? '.' : '');
}

function named(text: string, name: string): string {
  const title = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);
  return text
    .replaceAll(PLACEHOLDER, name)
    .replaceAll(PLACEHOLDER.toUpperCase(), name.toUpperCase())
    .replaceAll(title(PLACEHOLDER), title(name));
}

/** Packs the contracts into the service, since they are in no registry. @returns the path of the archive in the service */
async function packContracts(folder: string): Promise<string> {
  const vendor = join(folder, 'vendor');
  await mkdir(vendor);
  await promisify(execFile)('npm', ['run', 'build'], { cwd: PACKAGE });
  await promisify(execFile)('npm', ['pack', './dist', '--pack-destination', vendor], { cwd: PACKAGE });
  const [archive = ''] = await readdir(vendor);
  return `vendor/${archive}`;
}

/** Returns the service's package.json: the template's, with the versions of this project. */
async function packageJson(name: string, archive: string): Promise<string> {
  const own = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as Package;
  const made = JSON.parse(named(await readFile(join(TEMPLATE, '_package.json'), 'utf8'), name)) as Package;
  const versionOf = (each: string) =>
    KINDS.map((kind) => own[kind][each]).find((version) => version !== undefined) ?? '';
  for (const kind of KINDS) {
    for (const each of Object.keys(made[kind])) {
      made[kind][each] = each === CONTRACTS ? `file:${archive}` : versionOf(each);
    }
  }
  return `${JSON.stringify(made, null, 2)}\n`;
}

/** npm run new:service: makes a service that other teams keep outside this project. */
await runOnce(async () => {
  const options = { into: { type: 'string', default: dirname(ROOT) } } as const;
  const { values, positionals } = readArguments(USAGE, { options, allowPositionals: true });
  const [name, ...more] = positionals;
  if (name === undefined || more.length > 0) throw new StartupError(USAGE);
  requireFreeLogin(name);
  const folder = resolve(values.into, name);
  if (await exists(folder)) throw new StartupError(`${folder} exists: choose another name or directory.`);
  try {
    await copyTemplate(folder, name);
    await writeFile(join(folder, 'package.json'), await packageJson(name, await packContracts(folder)));
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
  console.log(
    `${folder} is ready. Next: cd ${folder} && npm install && npm test && npm run check, and npm run dev -- <DATA_DIR of npm start>`,
  );
});
