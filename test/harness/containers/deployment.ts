/** The services as docker-compose.yml runs them, in a copy of the repository. */
import { execFile } from 'node:child_process';
import { cp, lchown, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { projectFiles } from '../project-files.ts';
import { ROOT } from '../process.ts';
import type { Engine } from './engine.ts';

const run = promisify(execFile);

/** Neither root nor the user of the image, like most people who run `npm run secrets`. */
const OWNER_UID = 12_345;

/** How many containers each service has. */
export type Scales = Record<string, number>;

export class ContainerDeployment {
  readonly image: string;
  readonly dir: string;
  readonly #engine: Engine;
  readonly #env: NodeJS.ProcessEnv;

  /** Copies the repository and makes its secrets. */
  static async prepare(engine: Engine): Promise<ContainerDeployment> {
    const dir = await mkdtemp(join(tmpdir(), 'association-containers-'));
    const deployment = new ContainerDeployment(engine, dir);
    try {
      for (const file of projectFiles()) await cp(join(ROOT, file), join(dir, file));
      await symlink(join(ROOT, 'node_modules'), join(dir, 'node_modules'));
      await run(process.execPath, ['cli/secrets.ts'], { cwd: dir });
      await rm(join(dir, 'node_modules'));
      if (process.getuid?.() === 0) await giveAway(dir);
      return deployment;
    } catch (error) {
      await rm(dir, { recursive: true, force: true });
      throw error;
    }
  }

  private constructor(engine: Engine, dir: string) {
    this.dir = dir;
    this.image = basename(dir).toLowerCase();
    this.#engine = engine;
    // PORT=0 gives each gateway a free port. BuildKit needs more than Podman's API has.
    const builder = engine.isPodman ? { DOCKER_BUILDKIT: '0' } : {};
    this.#env = { IMAGE: this.image, COMPOSE_PROJECT_NAME: this.image, PORT: '0', RATE_LIMIT: 'off', ...builder };
  }

  compose(...args: string[]): Promise<string> {
    return this.#engine.compose(this.dir, this.#env, ...args);
  }

  /** Starts what does not run, with so many containers. */
  async up(scales: Scales, ...options: string[]): Promise<void> {
    const scale = Object.entries(scales).flatMap(([service, count]) => ['--scale', `${service}=${String(count)}`]);
    await this.compose('up', '--detach', ...options, ...scale);
  }

  /** Returns the ids of the running containers of a service. */
  async running(service: string): Promise<string[]> {
    return lines(await this.compose('ps', '--quiet', service));
  }

  /** Runs a program in a container. @returns stdout @throws Error if it fails */
  exec(id: string, ...command: string[]): Promise<string> {
    return this.#engine.run('exec', id, ...command);
  }

  /** Returns the port on this machine of each gateway. */
  async gatewayPorts(): Promise<number[]> {
    const ids = await this.running('gateway');
    const found = await Promise.all(ids.map((id) => this.#engine.run('port', id, '3000')));
    return found.map((text) => Number(/:(\d+)\s*$/m.exec(text)?.[1]));
  }

  /** Returns the contents of the secrets, by the name of their file. */
  async secrets(): Promise<Record<string, string>> {
    const folder = join(this.dir, 'secrets');
    const names = await readdir(folder);
    const contents = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
    return Object.fromEntries(names.map((name, index) => [name, contents[index]!.trimEnd()]));
  }

  /** Removes everything: containers, network, volumes, the image and the copy. */
  async remove(): Promise<void> {
    await this.compose('down', '--volumes', '--remove-orphans', '--timeout', '1');
    await this.#engine.run('image', 'rm', '--force', this.image);
    await rm(this.dir, { recursive: true, force: true });
  }
}

export function lines(text: string): string[] {
  return text.split('\n').filter((line) => line.trim() !== '');
}

/** Makes another user the owner of all files. */
async function giveAway(dir: string): Promise<void> {
  const entries = await readdir(dir, { recursive: true });
  for (const entry of ['.', ...entries]) await lchown(join(dir, entry), OWNER_UID, OWNER_UID);
}
