import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { projectFiles, root } from '../harness/project-files.ts';
import { DEFECTS, type Defect, type Edit } from './defects.ts';

/** Returns the text with the defect. @throws Error if the text to be replaced is not there exactly once */
export function edited(text: string, { file, find, replace }: Edit): string {
  const parts = text.split(find);
  if (parts.length !== 2) throw new Error(`${file} has ${String(parts.length - 1)} times: ${find}`);
  return parts.join(replace);
}

/** Copies the project, with a defect, into a temporary directory. @returns the directory */
async function copyWith({ edits }: Defect): Promise<string> {
  const copy = await mkdtemp(join(tmpdir(), 'association-defect-'));
  for (const file of projectFiles()) {
    await mkdir(dirname(join(copy, file)), { recursive: true });
    await cp(join(root, file), join(copy, file));
  }
  for (const shared of ['node_modules', '.cache']) await symlink(join(root, shared), join(copy, shared));
  for (const edit of edits) {
    const path = join(copy, edit.file);
    await writeFile(path, edited(await readFile(path, 'utf8'), edit));
  }
  return copy;
}

/**
 * Plays seeds with a defect until one fails.
 * @param args options of the command chaos.ts
 * @returns the exit code of that command
 */
export async function playDefect(name: string, args: readonly string[]): Promise<number | null> {
  const defect = DEFECTS[name];
  if (defect === undefined) throw new Error(`There is no defect ${name}: ${Object.keys(DEFECTS).join(', ')}`);
  const copy = await copyWith(defect);
  try {
    const own = ['--until-broken', '--logs', join(root, '.cache', 'chaos', name)];
    const command = [join(copy, 'test', 'faults', 'chaos.ts'), ...own, ...args];
    const child = spawn(process.execPath, command, { cwd: copy, stdio: 'inherit' });
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => child.kill(signal));
    await once(child, 'exit');
    return child.exitCode;
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}
