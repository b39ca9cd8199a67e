import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Returns the path of a program on PATH, or undefined if it is not installed. */
export function installedProgram(name: string): string | undefined {
  const dirs = (process.env['PATH'] ?? '').split(delimiter).filter((dir) => dir !== '');
  return dirs.map((dir) => join(dir, name)).find((path) => existsSync(path));
}
