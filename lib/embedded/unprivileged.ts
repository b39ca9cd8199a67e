import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { StartupError } from '../config/startup-error.ts';

// The user "nobody" on every Linux distribution.
const NOBODY_ID = 65_534;

/** The owner of the database files: the current user or, for root, the files' owner or the user "nobody". */
export interface Unprivileged {
  uid: number;
  gid: number;
  /** Returns the command line that runs `command` as that user. */
  wrap(command: string, args: readonly string[]): [string, string[]];
}

/**
 * Finds the user that runs PostgreSQL, which refuses to run as root. For root (containers, CI), setpriv starts it as another
 * user with one capability: the project or DATA_DIR may be below a directory that only root may enter (/root is 0700).
 * @param existing a data directory, which may exist
 * @throws StartupError for root without setpriv
 */
export function unprivilegedUser(existing: string): Unprivileged {
  const uid = process.getuid?.() ?? -1;
  const gid = process.getgid?.() ?? -1;
  if (uid !== 0) return { uid, gid, wrap: (command, args) => [command, [...args]] };
  const owner = statSync(existing, { throwIfNoEntry: false });
  const user = owner !== undefined && owner.uid !== 0 ? owner : { uid: NOBODY_ID, gid: NOBODY_ID };
  const options = [
    // initdb asks access(2) whether it may run postgres. Without this bit, access(2) ignores capabilities of users other
    // than root.
    '--securebits=+no_setuid_fixup',
    `--reuid=${String(user.uid)}`,
    `--regid=${String(user.gid)}`,
    '--clear-groups',
    '--inh-caps=+dac_override',
    '--ambient-caps=+dac_override',
  ];
  if (spawnSync('setpriv', [...options, 'true'], { stdio: 'ignore' }).status !== 0) {
    throw new StartupError(
      'PostgreSQL does not run as root, and setpriv (util-linux) cannot change the user: start as an ordinary user, or set POSTGRES_URL.',
    );
  }
  return { uid: user.uid, gid: user.gid, wrap: (command, args) => ['setpriv', [...options, command, ...args]] };
}
