import { randomBytes } from 'node:crypto';
import { access, link, mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Creates a file (mode 0600), and its directory (0700), unless the file exists. It appears with all its content, and if
 * several processes do it concurrently, one of them creates the file.
 */
export async function createOnce(path: string, content: () => string | Buffer | Promise<string>): Promise<void> {
  if (await exists(path)) return;
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${String(process.pid)}.${randomBytes(4).toString('hex')}`;
  try {
    await writeFile(draft, await content(), { mode: 0o600, flag: 'wx', flush: true });
    await link(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

/** Whether the path exists. */
export function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
