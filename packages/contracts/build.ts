/**
 * npm run build: compiles the package with the modules of lib/ that it reaches into dist/, from which `npm pack ./dist` makes the
 * archive. In this repository its sources are used as they are.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

interface Manifest {
  private?: boolean;
  exports: Record<string, string>;
  scripts?: Record<string, string>;
  devDependencies?: Record<string, string>;
}

const FOLDER = import.meta.dirname;
const DIST = join(FOLDER, 'dist');

/** Where the compiler puts what it makes of ./src. */
const COMPILED = './packages/contracts/src/';

/** Returns the entries of an archive: compiled code, and its types. */
function compiled(source: string): { types: string; default: string } {
  const path = source.replace('./src/', COMPILED).replace(/\.ts$/, '');
  return { types: `${path}.d.ts`, default: `${path}.js` };
}

rmSync(DIST, { recursive: true, force: true });
execFileSync('tsc', ['-p', 'tsconfig.json'], { cwd: FOLDER, stdio: 'inherit' });
const manifest = JSON.parse(readFileSync(join(FOLDER, 'package.json'), 'utf8')) as Manifest;
const entries = Object.entries(manifest.exports).map(([entry, source]) => [entry, compiled(source)]);
delete manifest.private;
delete manifest.scripts;
delete manifest.devDependencies;
const packed = { ...manifest, exports: Object.fromEntries(entries) as object };
writeFileSync(join(DIST, 'package.json'), `${JSON.stringify(packed, null, 2)}\n`);
for (const file of ['README.md', 'LICENSE']) cpSync(join(FOLDER, file), join(DIST, file));
