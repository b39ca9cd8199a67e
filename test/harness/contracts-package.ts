import { execFile } from 'node:child_process';
import { cp, mkdir, readdir, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { linkPackages, projectFiles, root } from './project-files.ts';

const run = promisify(execFile);

/** What the package and the scaffold are made from. Tests use a copy, since building writes into the folder. */
const SOURCES = /^(lib|packages|cli|deploy\/nats)\/|^(moleculer\.config\.ts|package\.json|tsconfig\.json)$/;

/** Copies the sources of the package and of the scaffold. @returns the root of the copy */
export async function copySources(work: string): Promise<string> {
  const copy = join(work, 'project');
  for (const file of projectFiles().filter((each) => SOURCES.test(each))) await cp(join(root, file), join(copy, file));
  linkPackages(copy);
  return copy;
}

/** Runs `npm pack` in a copy of the package. @returns the path of the archive */
export async function packContracts(copy: string, work: string): Promise<string> {
  const cwd = join(copy, 'packages', 'contracts');
  await run('npm', ['run', 'build'], { cwd });
  await run('npm', ['pack', './dist', '--pack-destination', work], { cwd });
  const archive = (await readdir(work)).find((name) => name.endsWith('.tgz'));
  return join(work, archive ?? 'none');
}

/** Installs the archive in a folder, and links the packages that it needs to those of this project. */
export async function installContracts(folder: string, archive: string, packages: readonly string[]): Promise<void> {
  const modules = join(folder, 'node_modules');
  const own = join(modules, '@association-service', 'contracts');
  await mkdir(own, { recursive: true });
  await run('tar', ['-xzf', archive, '-C', own, '--strip-components=1']);
  for (const name of packages) {
    await mkdir(dirname(join(modules, name)), { recursive: true });
    await symlink(join(root, 'node_modules', name), join(modules, name));
  }
}
