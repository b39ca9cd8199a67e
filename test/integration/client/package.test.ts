import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { ESLint } from 'eslint';
import { getFileInfo } from 'prettier';

const run = promisify(execFile);
const root = join(import.meta.dirname, '..', '..', '..');
const folder = join(root, 'clients', 'typescript');

describe('the client package', function () {
  this.timeout(120_000);
  let work: string;
  before(async () => {
    work = await mkdtemp(join(tmpdir(), 'client-package-'));
    await cp(folder, join(work, 'client'), {
      recursive: true,
      filter: (path) => !/\/(node_modules|dist)$/.test(path),
    });
    await symlink(join(root, 'node_modules'), join(work, 'node_modules'));
  });
  after(() => rm(work, { recursive: true, force: true }));

  it('is built by `npm pack` and contains its modules, their types, the licence and the repository', async () => {
    await run('npm', ['pack', '--pack-destination', work], { cwd: join(work, 'client') });
    const archive = (await readdir(work)).find((name) => name.endsWith('.tgz'));
    await run('tar', ['-xzf', archive ?? 'none'], { cwd: work });
    const packed = await readdir(join(work, 'package'), { recursive: true });
    const modules = (await readdir(join(folder, 'src'))).map((name) => name.replace(/\.ts$/, ''));
    expect(packed).to.have.members([
      'LICENSE',
      'README.md',
      'package.json',
      'dist',
      ...modules.flatMap((name) => [join('dist', `${name}.js`), join('dist', `${name}.d.ts`)]),
    ]);
    const app = `import { associationClient } from './package/dist/index.js'; console.log(typeof associationClient);`;
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', app], { cwd: work });
    expect(stdout).to.equal('function\n');
    const described = ['pkg', 'get', 'license', 'repository.directory'];
    const { stdout: fields } = await run('npm', described, { cwd: join(work, 'package') });
    expect(JSON.parse(fields)).to.deep.equal({
      license: 'Apache-2.0',
      'repository.directory': 'clients/typescript',
    });
  });

  it('can be built inside the project: git, Prettier and ESLint ignore the output', async () => {
    const output = ['dist/client.js', 'dist/schema.d.ts', 'node_modules/typescript/package.json', 'package-lock.json'];
    const eslint = new ESLint({ cwd: root });
    for (const file of output.map((name) => join(folder, name))) {
      for (const list of ['.prettierignore', '.gitignore']) {
        const { ignored } = await getFileInfo(file, { ignorePath: join(root, list), withNodeModules: true });
        expect(ignored, `${list}: ${file}`).to.equal(true);
      }
      if (/\.[jt]s$/.test(file)) expect(await eslint.isPathIgnored(file), file).to.equal(true);
    }
  });
});
