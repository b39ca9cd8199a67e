import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { sharedCluster, type Deployment } from '../harness/cluster.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '..', '..');
const bin = (name: string) => join(root, 'node_modules', '.bin', name);

/** The arguments with which each generator creates `api` from `openapi.json`. */
const GENERATORS: Record<string, string[]> = {
  'openapi-ts': [
    '-i',
    'openapi.json',
    '-o',
    'api',
    '-p',
    '@hey-api/client-fetch',
    '@hey-api/typescript',
    '@hey-api/sdk',
  ],
  'openapi-zod-client': ['openapi.json', '-o', 'api.ts', '--export-schemas'],
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

describe('clients of other generators for /openapi.json', function () {
  this.timeout(240_000);
  let cluster: Deployment;
  /** A folder in the repository, so that the imports of the generated code are found. */
  let folder: string;

  before(async () => {
    cluster = await sharedCluster();
    await mkdir(join(root, '.cache'), { recursive: true });
    folder = await mkdtemp(join(root, '.cache', 'generators-'));
    await writeFile(join(folder, 'openapi.json'), await (await fetch(`${cluster.origin}/openapi.json`)).text());
  });
  after(async () => {
    await rm(folder, { recursive: true, force: true });
  });

  for (const [generator, options] of Object.entries(GENERATORS)) {
    it(`compile under --strict and pay: ${generator}`, async () => {
      const cwd = join(folder, generator);
      await mkdir(cwd);
      await cp(join(folder, 'openapi.json'), join(cwd, 'openapi.json'));
      await cp(join(import.meta.dirname, 'generators', `${generator}.txt`), join(cwd, 'pay.ts'));
      await writeFile(join(cwd, 'package.json'), '{"type":"commonjs"}');
      await writeFile(join(cwd, 'tsconfig.json'), JSON.stringify(TSCONFIG));
      await run(bin(generator), options, { cwd });
      const compiled = await run(bin('tsc'), ['-p', '.'], { cwd }).catch((error: { stdout: string }) => error);
      expect(compiled.stdout).to.equal('');
      const tokens = [cluster.token(generator), cluster.token('bank', { scope: 'wallets:fund' })];
      const { stdout } = await run(process.execPath, ['out/pay.js', cluster.origin, ...tokens], { cwd });
      expect(stdout).to.equal('paid\n');
    });
  }
});
