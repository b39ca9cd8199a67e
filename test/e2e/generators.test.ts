import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { sharedCluster, type Deployment } from '../harness/cluster.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '..', '..');
const bin = (name: string) => join(root, 'node_modules', '.bin', name);

/** The client checks its own requests and all answers with the Zod schemas that are generated from the document. */
const CONFIG = {
  input: 'openapi.json',
  output: 'api',
  plugins: ['@hey-api/client-fetch', '@hey-api/typescript', 'zod', { name: '@hey-api/sdk', validator: true }],
};

const TSCONFIG = {
  compilerOptions: {
    strict: true,
    skipLibCheck: true,
    target: 'es2023',
    lib: ['es2023', 'dom', 'dom.iterable'],
    types: ['node'],
    module: 'commonjs',
    moduleResolution: 'bundler',
    esModuleInterop: true,
    outDir: 'out',
    rootDir: '.',
  },
  files: ['pay.ts'],
};

describe('a client of another generator for /openapi.json', function () {
  this.timeout(240_000);
  let cluster: Deployment;
  /** A folder in the repository, so that the imports of the generated code are found. */
  let folder: string;

  before(async () => {
    cluster = await sharedCluster();
    await mkdir(join(root, '.cache'), { recursive: true });
    folder = await mkdtemp(join(root, '.cache', 'generators-'));
    await writeFile(join(folder, 'openapi.json'), await (await fetch(`${cluster.origin}/openapi.json`)).text());
    await cp(join(import.meta.dirname, 'generators', 'openapi-ts.txt'), join(folder, 'pay.ts'));
    await writeFile(join(folder, 'package.json'), '{"type":"commonjs"}');
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(TSCONFIG));
    await writeFile(join(folder, 'openapi-ts.config.mjs'), `export default ${JSON.stringify(CONFIG)};`);
    await run(bin('openapi-ts'), [], { cwd: folder });
  });
  after(async () => {
    await rm(folder, { recursive: true, force: true });
  });

  it('compiles under --strict, and pays: openapi-ts with Zod', async () => {
    const generated = await readFile(join(folder, 'api', 'sdk.gen.ts'), 'utf8');
    expect(generated).to.contain('zContributeResponse.parseAsync');
    const compiled = await run(bin('tsc'), ['-p', '.'], { cwd: folder }).catch((error: { stdout: string }) => error);
    expect(compiled.stdout).to.equal('');
    const tokens = [cluster.token('generator'), cluster.token('bank', { scope: 'wallets:fund' })];
    const { stdout } = await run(process.execPath, ['out/pay.js', cluster.origin, ...tokens], { cwd: folder });
    expect(stdout).to.equal('paid\n');
  });
});
