/** A container engine with Docker Compose: Docker, or Podman with storage and settings of its own. */
import { execFile, execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { eventually } from '../eventually.ts';
import { ROOT, startProcess } from '../process.ts';

const run = promisify(execFile);

/** Podman's images and containers for the tests. To remove them: `rm -rf .cache/containers`. */
const CACHE = join(ROOT, '.cache', 'containers');

/** The packages of Debian with which the test runs without Docker, and a program of each that it calls. */
const PACKAGES: Record<string, string | undefined> = {
  podman: 'podman',
  buildah: undefined,
  runc: 'runc',
  netavark: undefined,
  'aardvark-dns': undefined,
  catatonit: undefined,
  iptables: 'iptables',
  nftables: 'nft',
  'docker-compose': 'docker-compose',
  debootstrap: 'debootstrap',
};

/** An image takes about a minute to build, and the whole file of services half of that to start. */
const COMMAND_TIMEOUT_MS = 300_000;
/** The logs of all requests of a test. */
const OUTPUT_MAX_BYTES = 256 * 1024 * 1024;
const HEALTH_PAUSE_MS = 1_000;

/** Runs the engine's commands. `docker` and `podman` take the same arguments for all that the tests do. */
export interface Engine {
  readonly isPodman: boolean;
  /** @returns stdout @throws Error if the command fails, with its stderr */
  run(...args: string[]): Promise<string>;
  /** Runs Docker Compose in a folder, with these variables in addition. @returns stdout */
  compose(cwd: string, env: NodeJS.ProcessEnv, ...args: string[]): Promise<string>;
  stop(): Promise<void>;
}

/** Returns what containers lack here, with the command that installs it; undefined if they can run. */
export function missingForContainers(): string | undefined {
  if (hasDocker()) return undefined;
  const missing = Object.entries(PACKAGES).filter(
    ([, program]) => program !== undefined && !succeeds('which', program),
  );
  const install = `apt-get install --no-install-recommends ${Object.keys(PACKAGES).join(' ')}`;
  if (missing.length > 0) {
    const names = missing.map(([name]) => name).join(', ');
    return `there is neither Docker with Docker Compose 2 nor ${names} here: ${install}`;
  }
  return process.getuid?.() === 0 ? undefined : 'without Docker, only root can run them: sudo npm run test:operations';
}

/** Returns Docker if it runs here, otherwise Podman. */
export async function startEngine(): Promise<Engine> {
  return hasDocker() ? engineOf('docker', ['docker', 'compose'], process.env, () => Promise.resolve()) : startPodman();
}

function hasDocker(): boolean {
  return succeeds('docker', 'info') && succeeds('docker', 'compose', 'version');
}

function succeeds(program: string, ...args: string[]): boolean {
  try {
    execFileSync(program, args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

function engineOf(
  program: 'docker' | 'podman',
  [compose, ...subcommand]: [string, ...string[]],
  env: NodeJS.ProcessEnv,
  stop: () => Promise<void>,
): Engine {
  const options = { maxBuffer: OUTPUT_MAX_BYTES, timeout: COMMAND_TIMEOUT_MS };
  return {
    isPodman: program === 'podman',
    async run(...args) {
      const { stdout, stderr } = await run(program, args, { ...options, env });
      // `logs` repeats what a container has written to stderr there.
      return args[0] === 'logs' ? stdout + stderr : stdout;
    },
    compose: async (cwd, more, ...args) =>
      (await run(compose, [...subcommand, ...args], { ...options, cwd, env: { ...env, ...more } })).stdout,
    stop,
  };
}

/** Starts Podman's API, for which docker-compose takes it for Docker. */
async function startPodman(): Promise<Engine> {
  await mkdir(CACHE, { recursive: true });
  // In a short path, as that of a socket has at most 108 bytes.
  const dir = await mkdtemp(join(tmpdir(), 'podman-'));
  const host = `unix://${join(dir, 'podman.sock')}`;
  await writeFile(join(dir, 'containers.conf'), containersConf());
  await writeFile(join(dir, 'storage.conf'), storageConf());
  const env = {
    ...process.env,
    CONTAINERS_CONF: join(dir, 'containers.conf'),
    CONTAINERS_STORAGE_CONF: join(dir, 'storage.conf'),
    BUILDAH_ISOLATION: 'chroot',
    // Without systemd, nothing would run health checks: checkHealth() does.
    DISABLE_HC_SYSTEMD: 'true',
    DOCKER_HOST: host,
  };
  const service = startProcess(['system', 'service', '--time', '0', host], { program: 'podman', env });
  const health = { isStopping: false };
  const engine = engineOf('podman', ['docker-compose'], env, async () => {
    health.isStopping = true;
    await checks;
    await service.end();
    await rm(dir, { recursive: true, force: true });
  });
  const checks = checkHealth(engine, health);
  await eventually(() => run('podman', ['--remote', '--url', host, 'version'], { env })).catch(
    async (error: unknown) => {
      await engine.stop();
      throw new Error(`Podman's API does not answer:\n${service.output()}`, { cause: error });
    },
  );
  // What an interrupted run has left: nothing else is stored there.
  await engine.run('rm', '--all', '--force');
  await engine.run('volume', 'rm', '--all', '--force');
  await engine.run('network', 'prune', '--force');
  return engine;
}

/** Checks containers until they are healthy, as Podman's systemd timers would. */
async function checkHealth(engine: Engine, health: { isStopping: boolean }): Promise<void> {
  for (; !health.isStopping; await sleep(HEALTH_PAUSE_MS)) {
    // A container may be removed in the meantime, or not be healthy yet.
    const ids = await engine.run('ps', '--quiet', '--filter', 'health=starting').catch(() => '');
    for (const id of ids.split('\n').filter((each) => each !== '')) {
      await engine.run('healthcheck', 'run', id).catch(() => undefined);
    }
  }
}

/** The settings with which Podman also runs in a container or virtual machine with cgroups of both versions. */
function containersConf(): string {
  return `[containers]
default_ulimits = ["nofile=4096:4096", "nproc=4096:4096"]
[network]
network_backend = "netavark"
network_config_dir = ${JSON.stringify(join(CACHE, 'networks'))}
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
`;
}

function storageConf(): string {
  return `[storage]
driver = "overlay"
graphroot = ${JSON.stringify(join(CACHE, 'storage'))}
runroot = ${JSON.stringify(join(CACHE, 'run'))}
`;
}
