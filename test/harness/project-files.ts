import { execFileSync } from 'node:child_process';
import { existsSync, lstatSync, mkdirSync, readdirSync, readlinkSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';

/** The root of the project. */
export const root = join(import.meta.dirname, '..', '..');

/** Files that tools create, which are excluded if the tree has no git directory. */
const GENERATED =
  /(^|\/)node_modules(\/|$)|^(coverage|\.data|\.cache|clients\/typescript\/dist|packages\/contracts\/dist)(\/|$)/;

/** Lists the files of the project: those that git lists, or all files if the tree has no git directory. */
export function projectFiles(): string[] {
  if (!existsSync(join(root, '.git'))) {
    const all = readdirSync(root, { recursive: true, encoding: 'utf8' });
    return all.filter((file) => !GENERATED.test(file) && statSync(join(root, file)).isFile());
  }
  const listing = ['ls-files', '--cached', '--others', '--exclude-standard'];
  const listed = execFileSync('git', listing, { cwd: root, encoding: 'utf8' }).split('\n');
  return listed.filter((file) => file !== '' && existsSync(join(root, file)));
}

/** Gives a copy of the project the installed packages, and its own workspaces: they are links there too. */
export function linkPackages(copy: string): void {
  linkAll(join(root, 'node_modules'), join(copy, 'node_modules'));
  linkAll(join(root, 'node_modules', '@association-service'), join(copy, 'node_modules', '@association-service'));
}

function linkAll(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const name of readdirSync(from)) {
    if (name === '@association-service' || existsSync(join(to, name))) continue;
    // Workspaces are links to folders of the project.
    const isWorkspace = lstatSync(join(from, name)).isSymbolicLink();
    symlinkSync(isWorkspace ? readlinkSync(join(from, name)) : join(from, name), join(to, name));
  }
}
