import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** The root of the project. */
export const root = join(import.meta.dirname, '..', '..');

/** Made by tools, and left out where there is no git to ask. */
const MADE = /^(node_modules|coverage|\.data|\.cache|clients\/typescript\/(node_modules|dist))(\/|$)/;

/** What belongs to the project: as git says, or all there is where the tree came without its history. */
export function projectFiles(): string[] {
  if (!existsSync(join(root, '.git'))) {
    const all = readdirSync(root, { recursive: true, encoding: 'utf8' });
    return all.filter((file) => !MADE.test(file) && statSync(join(root, file)).isFile());
  }
  const listing = ['ls-files', '--cached', '--others', '--exclude-standard'];
  const listed = execFileSync('git', listing, { cwd: root, encoding: 'utf8' }).split('\n');
  return listed.filter((file) => file !== '' && existsSync(join(root, file)));
}
