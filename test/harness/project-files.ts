import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** The root of the project. */
export const root = join(import.meta.dirname, '..', '..');

/** Files that tools create, which are excluded if the tree has no git directory. */
const GENERATED =
  /^(node_modules|coverage|\.data|\.cache|clients\/typescript\/(node_modules|dist)|packages\/contracts\/dist)(\/|$)/;

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
