import pg from 'pg';
import { exceedsStatementLimit } from './errors.ts';
import { socketToHost } from './host-addresses.ts';
import { HALF_OPEN_ENDS } from './pool-settings.ts';

/** When a database is probed. */
export interface ProbeTimings {
  every_ms: number;
  /** When a probe follows the first one with another result. */
  again_after_ms: number;
  timeout_ms: number;
}

export const PROBE_TIMINGS: ProbeTimings = {
  // Limits the time in which requests fail to a few seconds.
  every_ms: 1_000,
  // Early, before many requests fail, and so that sagas, which wait for 3 s between attempts, end within 5 s (chaos seed 45).
  again_after_ms: 100,
  // Far longer than a loaded database needs for a connection and a statement, far shorter than callers wait (5 s).
  timeout_ms: 2_000,
};

/**
 * Most probes run one statement on an open connection. A new connection and a temporary file each second took half of an
 * idle process's CPU: only every tenth probe, and each probe after a fault, makes them.
 */
const FULL_PROBE_EVERY = 10;

/**
 * Shows whether a session may write, and whether the disk has room: with the least memory (64 kB), the rows need a
 * temporary file of about 300 kB. It takes a millisecond.
 */
const FULL_PROBE = `SELECT current_setting('transaction_read_only') AS read_only, count(*) FROM generate_series(1, 20000)`;
const PROBE_OPTIONS = `-c work_mem=64 ${HALF_OPEN_ENDS}`;
const PROBE = `SELECT current_setting('transaction_read_only') AS read_only`;

/** Probes whether a database can be used. After a failed probe, the next one is a full one. */
export interface Prober {
  /** @throws why the database cannot be used */
  probe(): Promise<void>;
  /** Makes the next probe a full one, with a new connection and a temporary file. */
  requireFullProbe(): void;
  close(): void;
}

/** Builds the prober of the database at `url`. It connects at the first probe. */
export function openProber(url: string, { timeout_ms }: ProbeTimings): Prober {
  let session: pg.Client | undefined;
  let probes_until_full = 0;

  function newSession(): pg.Client {
    endConnection(session);
    session = new pg.Client({ connectionString: url, options: PROBE_OPTIONS, stream: socketToHost });
    // The promises below reject. Without a listener, the loss of the connection would also end the process.
    session.on('error', () => undefined);
    return session;
  }

  return {
    async probe() {
      const open = probes_until_full > 0 ? session : undefined;
      const client = open ?? newSession();
      probes_until_full = open === undefined ? FULL_PROBE_EVERY : probes_until_full - 1;
      const timeout = setTimeout(() => endConnection(client), timeout_ms);
      try {
        if (open === undefined) await client.connect();
        const { rows } = await client.query<{ read_only: string }>(open === undefined ? FULL_PROBE : PROBE);
        if (rows[0]?.read_only === 'on') throw Object.assign(new Error('the database is read-only'), { code: '25006' });
      } catch (error) {
        // A small temp_file_limit is a setting, and not a full disk.
        if (exceedsStatementLimit(error)) return;
        probes_until_full = 0;
        throw error;
      } finally {
        clearTimeout(timeout);
      }
    },
    requireFullProbe() {
      probes_until_full = 0;
    },
    close: () => endConnection(session),
  };
}

/** Ends a connection without waiting for the server. */
export function endConnection(client: pg.Client | undefined): void {
  client?.connection.stream.destroy();
}
