import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { dump, load } from 'js-yaml';
import { unpackDebianPackage } from '../../lib/embedded/debian-package.ts';
import { readFile } from 'node:fs/promises';
import { eventually } from './eventually.ts';
import { freePort } from './free-port.ts';
import { readAlertRules } from './monitoring.ts';
import { ROOT, startProcess } from './process.ts';

const CACHE = join(ROOT, '.cache', 'prometheus');

/** How often the test's Prometheus scrapes and evaluates: often, so that alerts fire soon after their cause. */
const EVERY = '1s';
/** In place of the minutes for which most alerts wait. */
const FOR = '1s';

const START_PATIENCE_MS = 30_000;

/** A firing or pending alert. */
export interface ActiveAlert {
  labels: Record<string, string>;
  annotations: Record<string, string>;
  state: 'pending' | 'firing';
}

/** A series in the answer to a query. */
export interface Sample {
  metric: Record<string, string>;
  /** Time and value. */
  value: [number, string];
}

export interface Prometheus {
  /** Sets the metrics URLs that are scraped. */
  scrape(origins: readonly string[]): Promise<void>;
  /** @throws Error if Prometheus cannot run the query */
  query(expr: string): Promise<Sample[]>;
  alerts(): Promise<ActiveAlert[]>;
  stop(): Promise<void>;
}

/**
 * Returns the path of `prometheus` or `promtool`: the one on PATH, or that of Debian's package, which apt downloads into
 * .cache once.
 * @throws Error if there is neither
 */
export async function findProgram(name: 'prometheus' | 'promtool'): Promise<string> {
  const dirs = (process.env['PATH'] ?? '').split(delimiter).filter((dir) => dir !== '');
  const programs = [...dirs, join(CACHE, 'usr', 'bin')].map((dir) => join(dir, name));
  const found = programs.find((program) => existsSync(program));
  if (found !== undefined) return found;
  try {
    await fetchPackage();
  } catch (error) {
    throw new Error(`No ${name} on PATH, and apt cannot download it: install Prometheus.`, { cause: error });
  }
  return join(CACHE, 'usr', 'bin', name);
}

async function fetchPackage(): Promise<void> {
  await mkdir(join(ROOT, '.cache'), { recursive: true });
  const draft = await mkdtemp(join(ROOT, '.cache', 'prometheus-'));
  try {
    await unpackDebianPackage('prometheus', draft, (line) => void process.stderr.write(`${line}\n`));
    await rename(draft, CACHE);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/**
 * Starts Prometheus with the configuration and the rules of deploy/. Their expressions are unchanged; it finds its targets
 * in a file instead of by DNS, and does not wait for minutes.
 */
export async function startPrometheus(): Promise<Prometheus> {
  const dir = await mkdtemp(join(tmpdir(), 'association-prometheus-'));
  const port = await freePort();
  const targets = join(dir, 'targets.json');
  await writeFile(targets, '[]');
  await writeFile(join(dir, 'prometheus.yml'), await hastyConfig());
  await writeFile(join(dir, 'alerts.yml'), hastyRules());
  const started = startProcess(
    [
      `--config.file=${join(dir, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(dir, 'data')}`,
      `--web.listen-address=127.0.0.1:${String(port)}`,
      '--log.level=warn',
    ],
    { program: await findProgram('prometheus'), env: {} },
  );
  const origin = `http://127.0.0.1:${String(port)}`;

  async function get<T>(path: string): Promise<T> {
    const answer = await fetch(`${origin}/api/v1/${path}`);
    const { status, error, data } = (await answer.json()) as { status: string; error?: string; data: T };
    if (status !== 'success') throw new Error(`Prometheus: ${String(error)}`);
    return data;
  }

  const stop = async (): Promise<void> => {
    await started.end();
    await rm(dir, { recursive: true, force: true });
  };
  try {
    await eventually(async () => {
      if (started.hasEnded()) return;
      if (!(await fetch(`${origin}/-/ready`)).ok) throw new Error('Prometheus is not ready');
    }, START_PATIENCE_MS);
    if (started.hasEnded()) throw new Error(`Prometheus has ended:\n${started.output()}`);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    scrape: async (origins) => {
      // Renamed, as Prometheus may read the file at any time.
      await writeFile(`${targets}.new`, JSON.stringify([{ targets: origins.map((url) => new URL(url).host) }]));
      await rename(`${targets}.new`, targets);
    },
    query: async (expr) =>
      (await get<{ result: Sample[] }>(`query?${new URLSearchParams({ query: expr }).toString()}`)).result,
    alerts: async () => (await get<{ alerts: ActiveAlert[] }>('alerts')).alerts,
    stop,
  };
}

async function hastyConfig(): Promise<string> {
  const config = load(await readFile(join(ROOT, 'deploy', 'prometheus', 'prometheus.yml'), 'utf8')) as {
    global: object;
    scrape_configs: object[];
  };
  const file_sd_configs = [{ files: ['targets.json'], refresh_interval: EVERY }];
  return dump({
    ...config,
    global: { ...config.global, scrape_interval: EVERY, scrape_timeout: EVERY, evaluation_interval: EVERY },
    scrape_configs: config.scrape_configs.map((job) => ({ ...job, dns_sd_configs: [], file_sd_configs })),
  });
}

function hastyRules(): string {
  const { groups } = readAlertRules();
  return dump({
    groups: groups.map((group) => ({
      ...group,
      rules: group.rules.map((rule) => (rule.for === undefined ? rule : { ...rule, for: FOR })),
    })),
  });
}
