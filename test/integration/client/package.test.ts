import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { ESLint } from 'eslint';
import { getFileInfo } from 'prettier';
import { CLIENT_FOLDER as folder, packClient } from '../../harness/client-package.ts';
import { root } from '../../harness/project-files.ts';

const run = promisify(execFile);

describe('the client package', function () {
  this.timeout(120_000);
  let work: string;
  before(async () => {
    work = await mkdtemp(join(tmpdir(), 'client-package-'));
  });
  after(() => rm(work, { recursive: true, force: true }));

  it('is built by `npm pack` and contains its modules, their types, the licence and the repository', async () => {
    await run('tar', ['-xzf', await packClient(work)], { cwd: work });
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
