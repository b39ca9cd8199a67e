/** The images that docker-compose.yml and deploy/Dockerfile begin with: pulled, or made here where none can be pulled. */
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { unpackDebianPackage } from '../../../lib/embedded/debian-package.ts';
import { findNatsServer } from '../../../lib/embedded/nats-binary.ts';
import { findPostgres } from '../../../lib/embedded/postgres-binaries.ts';
import { ROOT } from '../process.ts';
import type { Engine } from './engine.ts';

const run = promisify(execFile);

/** Containerfiles of the stand-ins, one folder for each image. */
const FIXTURES = join(ROOT, 'test', 'fixtures', 'containers');

/** debootstrap downloads about 60 MB. */
const DEBOOTSTRAP_TIMEOUT_MS = 300_000;

/** What the Debian project removes from its slim images, and caches. */
const NOT_IN_SLIM = ['var/cache/apt', 'var/lib/apt/lists', 'usr/share/doc', 'usr/share/man', 'usr/share/locale'];

const say = (line: string): void => void process.stderr.write(`${line}\n`);

/** The files of each stand-in that are not in the repository. */
const CONTENTS: Record<string, (context: string) => Promise<void>> = {
  async node(context) {
    const { stdout } = await run('npm', ['root', '--global']);
    await cp(join(stdout.trim(), 'npm'), join(context, 'npm'), { recursive: true });
    await cp(process.execPath, join(context, 'node'));
    // npm needs the authorities that this machine trusts, such as that of a proxy.
    const authorities = process.env['NODE_EXTRA_CA_CERTS'] ?? '/etc/ssl/certs/ca-certificates.crt';
    await cp(authorities, join(context, 'ca-certificates.crt'), { dereference: true });
  },
  async postgres(context) {
    const { postgres } = await findPostgres();
    const native = dirname(dirname(postgres));
    await cp(native, join(context, 'native'), { recursive: true, verbatimSymlinks: true });
  },
  async nats(context) {
    await cp(await findNatsServer(say), join(context, 'nats-server'));
    const unpacked = join(context, 'unpacked');
    await unpackDebianPackage('busybox-static', unpacked, say);
    await cp(join(unpacked, 'bin', 'busybox'), join(context, 'busybox'));
  },
};

/** Makes sure that all base images exist. Docker pulls them itself. */
export async function provideBaseImages(engine: Engine): Promise<void> {
  if (!engine.isPodman) return;
  const names = await baseImages();
  const base = names.find((name) => kindOf(name) === 'debian');
  if (base === undefined) throw new Error('deploy/Dockerfile has no image of Debian, on which the stand-ins are based');
  for (const name of [base, ...names.filter((each) => each !== base)]) {
    if (await exists(engine, name)) continue;
    say(`    making ${name}, since it cannot be pulled; .cache/containers keeps it`);
    await (name === base ? makeDebian(engine, name) : makeStandIn(engine, name, base));
  }
}

/** Returns the full names of the images that the files name. */
async function baseImages(): Promise<string[]> {
  const [compose, dockerfile] = await Promise.all(
    ['docker-compose.yml', 'deploy/Dockerfile'].map((file) => readFile(join(ROOT, file), 'utf8')),
  );
  const found = [...compose!.matchAll(/image: ([\w.-]+:\S+)/g), ...dockerfile!.matchAll(/^FROM (\S+)/gm)];
  return [...new Set(found.map(([, name]) => `docker.io/library/${name!}`))];
}

function kindOf(name: string): string {
  return /([\w-]+):/.exec(name)?.[1] ?? '';
}

async function exists(engine: Engine, name: string): Promise<boolean> {
  for (const command of [
    ['image', 'inspect'],
    ['pull', '--quiet'],
  ]) {
    const isThere = await engine.run(...command, name).then(
      () => true,
      () => false,
    );
    if (isThere) return true;
  }
  return false;
}

async function makeDebian(engine: Engine, name: string): Promise<void> {
  const release = /:(\w+)/.exec(name)?.[1] ?? '';
  await inFolder(async (dir) => {
    const root = join(dir, 'root');
    await run('debootstrap', ['--variant=minbase', release, root], { timeout: DEBOOTSTRAP_TIMEOUT_MS });
    for (const folder of NOT_IN_SLIM) await rm(join(root, folder), { recursive: true });
    const archive = join(dir, 'root.tar');
    await run('tar', ['--create', '--file', archive, '--directory', root, '.']);
    await engine.run('import', archive, name);
  });
}

async function makeStandIn(engine: Engine, name: string, base: string): Promise<void> {
  const kind = kindOf(name);
  const fill = CONTENTS[kind];
  if (fill === undefined) throw new Error(`${name} cannot be pulled, and base-images.ts cannot make it`);
  await inFolder(async (context) => {
    await cp(join(FIXTURES, kind), context, { recursive: true });
    await fill(context);
    await engine.run('build', '--network', 'host', '--build-arg', `BASE=${base}`, '--tag', name, context);
  });
}

async function inFolder(work: (dir: string) => Promise<void>): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), 'base-image-'));
  try {
    await work(dir);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}
