/** npm run sbom: prints the software bill of materials of a production installation, as CycloneDX JSON. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

interface Manifest {
  name: string;
  devDependencies?: object;
}

interface Lock {
  packages: Record<string, { dev?: boolean; devDependencies?: object }>;
}

const root = join(import.meta.dirname, '..');
const read = (file: string): unknown => JSON.parse(readFileSync(join(root, file), 'utf8'));

/**
 * Returns npm's SBOM of a copy of package.json and package-lock.json without development dependencies. npm's own
 * `--omit dev` also omits packages that both production and development need, such as `jose`.
 */
function productionSbom(): string {
  const manifest = read('package.json') as Manifest;
  const lock = read('package-lock.json') as Lock;
  delete manifest.devDependencies;
  delete lock.packages['']?.devDependencies;
  lock.packages = Object.fromEntries(Object.entries(lock.packages).filter(([, { dev }]) => dev !== true));
  const folder = mkdtempSync(join(tmpdir(), 'sbom-'));
  try {
    // The SBOM has the name of the directory.
    const project = join(folder, manifest.name);
    mkdirSync(project);
    writeFileSync(join(project, 'package.json'), JSON.stringify(manifest));
    writeFileSync(join(project, 'package-lock.json'), JSON.stringify(lock));
    const args = ['sbom', '--sbom-format', 'cyclonedx', '--sbom-type', 'application', '--package-lock-only'];
    return execFileSync('npm', args, { cwd: project, encoding: 'utf8' });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

process.stdout.write(productionSbom());
