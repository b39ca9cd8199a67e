import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { OPERATOR } from '../../lib/config/service-names.ts';
import { loadSettings, type Settings } from '../../lib/config/settings.ts';
import { StartupError } from '../../lib/config/startup-error.ts';
import { faultOf } from '../../lib/errors/fault.ts';
import { ledgerDrift, ledgerVerifiedAt } from '../../lib/telemetry/metrics.ts';
import { startProbeServer } from '../../lib/telemetry/probe-server.ts';
import { openCheckpoint } from './checkpoint.ts';
import { openSources } from './sources.ts';
import { verifyDatabases, type Verdict } from './verify-databases.ts';

/** The exit codes, with which a schedule can tell damage from a database that is unavailable. */
export const VALID = 0;
export const NOT_VALID = 1;
export const NOT_VERIFIED = 2;

const UNITS_MS: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000 };

/** A longer interval is better left to cron. */
const INTERVAL_MAX_MS = 24 * 3_600_000;

const OPTIONS = {
  every: { type: 'string' },
  incremental: { type: 'boolean', default: false },
  restart: { type: 'boolean', default: false },
  checkpoint: { type: 'string' },
  databases: { type: 'boolean', default: false },
  'recheck-after': { type: 'string', default: '15s' },
} as const;

/**
 * npm run verify -- ledger, without an export: compares the databases once, or at intervals until a signal ends it.
 * @returns the exit code
 */
export async function verifyCommand(args: string[], usage: string): Promise<number> {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  try {
    const { every, incremental, restart, checkpoint: path, 'recheck-after': recheck } = readOptions(args, usage);
    const every_ms = every === undefined ? undefined : intervalOf('--every', every, usage);
    const recheck_after_ms = intervalOf('--recheck-after', recheck, usage);
    const settings = loadSettings(process.env, OPERATOR);
    const checkpoint = openCheckpoint(path ?? join(settings.dataDir, 'verify-ledger.json'));
    if (restart) checkpoint.stored.open = null;
    const run = async (mode: 'full' | 'incremental'): Promise<Verdict> => {
      // Opened for each run: a schedule outlives restarts of the servers.
      const sources = await openSources(settings);
      try {
        const say = (line: string) => console.log(line);
        const options = { checkpoint, mode, now: new Date(), say, signal: stop.signal, recheck_after_ms };
        const verdict = await verifyDatabases(sources, options);
        for (const { check, differences } of verdict.results) ledgerDrift.set({ check }, differences);
        ledgerVerifiedAt.set(Date.now() / 1_000);
        return verdict;
      } finally {
        checkpoint.save(true);
        await sources.close();
      }
    };
    if (every_ms !== undefined) {
      const probes = await serveMetrics(settings);
      return await runEvery(every_ms, () => run('incremental'), stop.signal).finally(() => probes.close());
    }
    const { isValid } = await run(incremental ? 'incremental' : 'full');
    return isValid ? VALID : NOT_VALID;
  } catch (error) {
    console.error(stop.signal.aborted ? 'Interrupted: the next run continues.' : faultText(error));
    return NOT_VERIFIED;
  }
}

/** Serves the result of the last run as metrics, like the processes of the services. */
async function serveMetrics({ metricsHost: host, metricsPort: port }: Settings) {
  const health = () => Promise.resolve({ status: 'ready' as const, services: {} });
  const probes = await startProbeServer({ host, port, health });
  console.log(`Verifies the ledger at intervals, metrics on ${probes.url}/metrics`);
  return probes;
}

/** Runs until the signal. A run that fails is reported, and the next one tries again. */
async function runEvery(every_ms: number, run: () => Promise<Verdict>, signal: AbortSignal): Promise<number> {
  let isValid = true;
  while (!signal.aborted) {
    try {
      ({ isValid } = await run());
    } catch (error) {
      if (!signal.aborted) console.error(faultText(error));
    }
    await sleep(every_ms, undefined, { signal }).catch(() => undefined);
  }
  return isValid ? VALID : NOT_VALID;
}

/** Returns the line that says why nothing was verified. */
export function faultText(error: unknown): string {
  return `NOT VERIFIED: ${error instanceof StartupError ? error.message : faultOf(error).message}`;
}

function readOptions(args: string[], usage: string) {
  try {
    return parseArgs({ args, options: OPTIONS }).values;
  } catch {
    throw new StartupError(usage);
  }
}

function intervalOf(option: string, text: string, usage: string): number {
  const [, count = '', unit = ''] = /^(\d{1,6})([smh])$/.exec(text) ?? [];
  const interval_ms = Number(count) * (UNITS_MS[unit] ?? 0);
  if (interval_ms > 0 && interval_ms <= INTERVAL_MAX_MS) return interval_ms;
  throw new StartupError(`${option} ${text} is not an interval such as 30s, 15m or 6h, at most 24h.\n${usage}`);
}
