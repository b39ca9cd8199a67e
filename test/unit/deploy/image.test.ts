import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { ROOT } from '../../harness/process.ts';

interface Lock {
  packages: Record<string, { dev?: boolean }>;
}

const read = (...path: string[]) => readFileSync(join(ROOT, ...path), 'utf8');

describe('deploy/Dockerfile', () => {
  const dockerfile = read('deploy', 'Dockerfile');
  const { workspaces } = JSON.parse(read('package.json')) as { workspaces: string[] };

  it('has the package.json of each workspace before npm installs', () => {
    const before = dockerfile.slice(0, dockerfile.indexOf('RUN npm ci'));
    const copied = [...before.matchAll(/^COPY (\S+\/package\.json) \.\/(\S+)\/$/gm)].map(([, from, to]) => [from, to]);
    expect(copied).to.deep.equal(workspaces.map((folder) => [`${folder}/package.json`, folder]));
  });

  it('gets all packages from the root, where npm has them as long as no two versions of one are needed', () => {
    const { packages } = JSON.parse(read('package-lock.json')) as Lock;
    const nested = Object.entries(packages).filter(([path]) => /^(packages|services)\/.*node_modules\//.test(path));
    expect(nested.filter(([, { dev }]) => dev !== true).map(([path]) => path)).to.deep.equal([]);
    expect(dockerfile).to.contain('\nCOPY --from=dependencies /app/node_modules ./node_modules\n');
  });

  it('copies nothing that .dockerignore leaves out', () => {
    const kept = read('.dockerignore')
      .split('\n')
      .flatMap((line) => (line.startsWith('!') ? [line.slice(1)] : []));
    const sources = [...dockerfile.matchAll(/^COPY (?!--)(.+) \S+$/gm)].flatMap(([, list = '']) => list.split(' '));
    expect(sources).to.include.members(['packages', 'services', 'lib', 'cli']);
    for (const source of sources)
      expect(
        kept.some((path) => source === path || source.startsWith(`${path}/`)),
        source,
      ).to.equal(true);
  });

  it('compiles every service', () => {
    expect(dockerfile).to.contain('await loadServices(ALL_SERVICES)');
  });
});
