import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './project-files.ts';

/** A package of package-lock.json. */
export interface LockedPackage {
  /** `name@version`. */
  id: string;
  /** The license that the package states; undefined if it states none in its manifest. */
  license: string | undefined;
  /** Whether it is installed without development dependencies. */
  forProduction: boolean;
}

interface LockEntry {
  name?: string;
  version: string;
  license?: string;
  dev?: boolean;
  /** Of development dependencies and of optional dependencies; npm installs it with the optional ones. */
  devOptional?: boolean;
  /** Whether it is a link to a workspace. */
  link?: boolean;
}

/** Returns all packages that `npm ci` may install. */
export function lockedPackages(): LockedPackage[] {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, LockEntry>;
  };
  return (
    Object.entries(packages)
      // The others are this project and its workspaces.
      .filter(([path, { link = false }]) => path.includes('node_modules/') && !link)
      .map(
        ([
          path,
          { name = path.replace(/^.*node_modules\//, ''), version, license, dev = false, devOptional = false },
        ]) => ({
          id: `${name}@${version}`,
          license,
          forProduction: !dev && !devOptional,
        }),
      )
  );
}
