/** npm run sbom: prints the software bill of materials of a production installation, as CycloneDX JSON. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

interface Manifest {
  name: string;
  workspaces?: string[];
  devDependencies?: object;
}

interface Lock {
  packages: Record<string, { dev?: boolean; devDependencies?: object }>;
}

const root = join(import.meta.dirname, '..');
const read = (file: string): unknown => JSON.parse(readFileSync(join(root, file), 'utf8'));

/**
 * Returns npm's SBOM of a copy of each package.json and of package-lock.json without development dependencies. npm's own
 * `--omit dev` also omits packages that both production and development need, such as `jose`.
 */
function productionSbom(): string {
  const { name, workspaces = [] } = read('package.json') as Manifest;
  const lock = read('package-lock.json') as Lock;
  for (const folder of ['', ...workspaces]) delete lock.packages[folder]?.devDependencies;
  lock.packages = Object.fromEntries(Object.entries(lock.packages).filter(([, { dev }]) => dev !== true));
  const folder = mkdtempSync(join(tmpdir(), 'sbom-'));
  try {
    // The SBOM has the name of the directory.
    const project = join(folder, name);
    for (const file of ['', ...workspaces].map((each) => join(each, 'package.json'))) {
      mkdirSync(dirname(join(project, file)), { recursive: true });
      writeFileSync(join(project, file), JSON.stringify({ ...(read(file) as Manifest), devDependencies: undefined }));
    }
    writeFileSync(join(project, 'package-lock.json'), JSON.stringify(lock));
    const args = ['sbom', '--sbom-format', 'cyclonedx', '--sbom-type', 'application', '--package-lock-only'];
    return execFileSync('npm', args, { cwd: project, encoding: 'utf8' });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

process.stdout.write(productionSbom());
