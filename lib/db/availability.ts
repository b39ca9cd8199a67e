import pg from 'pg';
import { problem } from '../errors/problem.ts';
import { HALF_OPEN_ENDS } from './pools.ts';
import { isConnectionLimit, isLimitOfStatement, isUnavailable, isWithoutWrites } from './errors.ts';

/** When a database is probed. */
export interface ProbeTimings {
  every_ms: number;
  /** When a probe follows a first failure. */
  again_after_ms: number;
  timeout_ms: number;
}

export const PROBE_TIMINGS: ProbeTimings = {
  // Limits the time in which requests fail to a few seconds.
  every_ms: 1_000,
  // Early, before many requests fail.
  again_after_ms: 100,
  // Far longer than a loaded database needs for a connection and a statement, far shorter than callers wait (5 s).
  timeout_ms: 2_000,
};

/**
 * Most probes run one statement on an open connection. A new connection and a temporary file each second took half of an
 * idle process's CPU: only every tenth probe, and each probe after a fault, makes them.
 */
const FULL_PROBE_EVERY = 10;

/** A single failed probe is not an outage. */
const FAILURES_TO_LEAVE = 2;

/** A database that starts and stops again is not back. */
const SUCCESSES_TO_RETURN = 2;

/** The probe may succeed while the tables of a refused write cannot grow. Only later writes show that. */
const SUCCESSES_AFTER_REFUSED_WRITE = 5;

/** If a write is refused again this soon, the wait doubles, as the probe does not see the cause. */
const REFUSED_AGAIN_WITHIN_MS = 60_000;
const SUCCESSES_MAX = 40;

/**
 * Shows whether a session may write, and whether the disk has room: with the least memory (64 kB), the rows need a
 * temporary file of some 300 kB. It takes a millisecond.
 */
const FULL_PROBE = `SELECT current_setting('transaction_read_only') AS read_only, count(*) FROM generate_series(1, 20000)`;
const PROBE_OPTIONS = `-c work_mem=64 ${HALF_OPEN_ENDS}`;
const PROBE = `SELECT current_setting('transaction_read_only') AS read_only`;

/** Whether a service's database can be used, as far as is known. */
export interface Availability {
  /** Why it cannot be used; undefined while it can. */
  fault(): Error | undefined;
  /** Calls back with the fault when the database can no longer be used, and with undefined once it can again. */
  onChange(listener: (fault: Error | undefined) => void): void;
  /** For pools: connections are watched, and are refused while the database cannot be used. */
  readonly Client: typeof pg.Client;
  stop(): Promise<void>;
}

/**
 * Watches a database with a probe each second, and by errors on the pools' connections. While it cannot be used, every
 * statement fails at once instead of waiting for its timeout. When it can be used again, pools open new connections, as the
 * old ones may lead to a server that has become read-only.
 */
export function watchDatabase(url: string, timings = PROBE_TIMINGS): Availability {
  const connected = new Set<pg.Client>();
  const listeners: ((fault: Error | undefined) => void)[] = [];
  let fault: Error | undefined;
  const patience = returnPatience();
  let [failures, successes_missing] = [0, 0];
  let timer: NodeJS.Timeout | undefined;
  let probing: Promise<void> | undefined;
  let stopped = false;
  const [pools, prober] = [poolSigns(timings), openProber(url, timings)];

  function changeTo(next: Error | undefined): void {
    fault = next;
    for (const listener of listeners) listener(next);
  }

  function leave(error: Error): void {
    successes_missing = patience.after(error, fault === undefined);
    if (fault !== undefined) return;
    changeTo(error);
    // If only writes or new connections are refused, running statements may still succeed.
    if (!isWithoutWrites(error) && !isConnectionLimit(error)) disconnect(connected);
  }

  function probeSucceeded(): void {
    failures = 0;
    pools.probeGotConnection();
    if (fault === undefined) return;
    prober.fullNext();
    successes_missing -= 1;
    if (successes_missing > 0) return;
    patience.returned(fault);
    // Connections from before the server accepted no more still work.
    if (!isConnectionLimit(fault)) disconnect(connected);
    changeTo(undefined);
  }

  function probeFailed(error: Error): void {
    prober.fullNext();
    if (fault === undefined && pools.areServed(error)) return;
    failures += 1;
    if (fault !== undefined || failures >= FAILURES_TO_LEAVE || isWithoutWrites(error)) leave(error);
  }

  function probeSoon(delay_ms: number): void {
    clearTimeout(timer);
    if (!stopped) timer = setTimeout(probeNow, delay_ms).unref();
  }

  function probeNow(): void {
    probing ??= prober
      .probe()
      .then(probeSucceeded, probeFailed)
      .finally(() => {
        probing = undefined;
        probeSoon(failures === 1 ? timings.again_after_ms : timings.every_ms);
      });
  }

  /** A connection of the pools has failed, or a statement on it. */
  function poolFailed(error: Error): void {
    if (isWithoutWrites(error)) leave(error);
    if (fault !== undefined || !isUnavailable(error)) return;
    pools.failed(error);
    prober.fullNext();
    if (failures === 0) probeSoon(0);
  }

  probeSoon(timings.every_ms);
  return {
    fault: () => fault,
    onChange: (listener) => void listeners.push(listener),
    Client: watchedClient({ fault: () => fault, connected, poolFailed, pools }),
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await probing;
      prober.close();
    },
  };
}

/** How many probes must succeed after a fault: twice as many each time that a write is refused again soon. */
function returnPatience() {
  let after_refused_write = SUCCESSES_AFTER_REFUSED_WRITE;
  let writable_since_ms = -Infinity;
  return {
    after(error: Error, isNew: boolean): number {
      if (!isWithoutWrites(error)) return SUCCESSES_TO_RETURN;
      const isSoon = performance.now() - writable_since_ms < REFUSED_AGAIN_WITHIN_MS;
      const next = isSoon ? Math.min(2 * after_refused_write, SUCCESSES_MAX) : SUCCESSES_AFTER_REFUSED_WRITE;
      if (isNew) after_refused_write = next;
      return after_refused_write;
    },
    returned(fault: Error): void {
      if (isWithoutWrites(fault)) writable_since_ms = performance.now();
    },
  };
}

/** What the pools' connections show about the server. */
function poolSigns({ timeout_ms }: ProbeTimings) {
  let answered_ms = -Infinity;
  let isRefusedConnection = false;
  const ended = () => {
    answered_ms = -Infinity;
  };
  return {
    ended,
    answered() {
      answered_ms = performance.now();
    },
    failed(error: Error) {
      if (isConnectionLimit(error)) isRefusedConnection = true;
      else if (!isWithoutWrites(error)) ended();
    },
    probeGotConnection() {
      isRefusedConnection = false;
    },
    /** It is not an outage if the server refuses or delays the probe's connection, but answers those of the pools. */
    areServed(error: Error): boolean {
      if (isWithoutWrites(error)) return false;
      if (isConnectionLimit(error)) return !isRefusedConnection;
      return performance.now() - answered_ms < timeout_ms;
    },
  };
}

/** What connects the pools' connections with the watch. */
interface Watch {
  fault: () => Error | undefined;
  connected: Set<pg.Client>;
  poolFailed: (error: Error) => void;
  pools: ReturnType<typeof poolSigns>;
}

function watchedClient({ fault, connected, poolFailed, pools }: Watch): typeof pg.Client {
  return class extends pg.Client {
    constructor(config?: string | pg.ClientConfig) {
      super(config);
      this.connection
        .on('errorMessage', poolFailed)
        .on('error', poolFailed)
        .on('readyForQuery', () => pools.answered());
      // Statements on a lost connection fail. Without a listener, its loss would also end the process.
      this.on('error', () => undefined);
      this.once('end', () => {
        connected.delete(this);
        pools.ended();
      });
    }

    override connect(): Promise<pg.Client>;
    override connect(callback: (error: Error | null, client?: pg.Client) => void): void;
    override connect(callback?: (error: Error | null, client?: pg.Client) => void): Promise<pg.Client> | undefined {
      if (fault() !== undefined) {
        const refusal = problem('service_unavailable');
        if (callback === undefined) return Promise.reject(refusal);
        process.nextTick(callback, refusal);
        return undefined;
      }
      connected.add(this);
      if (callback === undefined) return super.connect();
      super.connect(callback);
      return undefined;
    }
  };
}

/** Probes whether a database can be used. */
function openProber(url: string, { timeout_ms }: ProbeTimings) {
  let session: pg.Client | undefined;
  let probes_until_full = 0;

  function begin(): pg.Client {
    end(session);
    session = new pg.Client({ connectionString: url, options: PROBE_OPTIONS });
    // The promises below reject. Without a listener, the loss of the connection would also end the process.
    session.on('error', () => undefined);
    return session;
  }

  return {
    /** @throws why the database cannot be used */
    async probe(): Promise<void> {
      const known = probes_until_full > 0 ? session : undefined;
      const asked = known ?? begin();
      probes_until_full = known === undefined ? FULL_PROBE_EVERY : probes_until_full - 1;
      const timeout = setTimeout(() => end(asked), timeout_ms);
      try {
        if (known === undefined) await asked.connect();
        const { rows } = await asked.query<{ read_only: string }>(known === undefined ? FULL_PROBE : PROBE);
        if (rows[0]?.read_only === 'on') throw Object.assign(new Error('the database is read-only'), { code: '25006' });
      } catch (error) {
        // A small temp_file_limit is a setting, and not a full disk.
        if (!isLimitOfStatement(error)) throw error;
      } finally {
        clearTimeout(timeout);
      }
    },
    /** Makes the next probe a full one. */
    fullNext() {
      probes_until_full = 0;
    },
    close: () => end(session),
  };
}

function disconnect(clients: Iterable<pg.Client>): void {
  for (const client of clients) end(client);
}

/** Ends a connection without waiting for the server. */
function end(client: pg.Client | undefined): void {
  client?.connection.stream.destroy();
}
