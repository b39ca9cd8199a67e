import type pg from 'pg';
import { cannotGrow, isConnectionLimit, isUnavailable, refusesWrites } from './errors.ts';
import { endConnection, openProber, PROBE_TIMINGS } from './prober.ts';
import { recordPoolSigns, watchedClient } from './watched-client.ts';

/** A single failed probe is not an outage. */
const FAILURES_OF_OUTAGE = 2;

/** One may be the last of a server that is stopping. */
const SUCCESSES_TO_RECOVER = 2;

/** The probe may succeed while the tables of a refused write cannot grow. Only later writes show that. */
const SUCCESSES_AFTER_REFUSED_WRITE = 2;

/** If a write is refused again this soon, the wait doubles, as the probe does not see the cause. */
const REFUSED_AGAIN_WITHIN_MS = 60_000;
/** At one probe a second, a database that accepts writes again is used within 5 s. */
const SUCCESSES_MAX = 4;

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
  const threshold = recoveryThreshold();
  const signs = recordPoolSigns(timings.timeout_ms);
  const prober = openProber(url, timings);
  let fault: Error | undefined;
  /** Failed probes since the last one that succeeded. */
  let failures = 0;
  /** How many more probes must succeed before the database counts as available. */
  let successes_missing = 0;
  let timer: NodeJS.Timeout | undefined;
  let probing: Promise<void> | undefined;
  let stopped = false;

  function changeTo(next: Error | undefined): void {
    fault = next;
    for (const listener of listeners) listener(next);
  }

  function markUnavailable(error: Error): void {
    successes_missing = threshold.successesAfter(error, fault === undefined);
    if (fault !== undefined) return;
    changeTo(error);
    // If only writes or new connections are refused, running statements may still succeed.
    if (!refusesWrites(error) && !isConnectionLimit(error)) disconnect(connected);
  }

  function probeSucceeded(): void {
    failures = 0;
    signs.recordProbeConnection();
    if (fault === undefined) return;
    prober.requireFullProbe();
    if (--successes_missing > 0) return;
    threshold.recordRecovery(fault);
    // Connections from before the server accepted no more still work.
    if (!isConnectionLimit(fault)) disconnect(connected);
    changeTo(undefined);
  }

  function probeFailed(error: Error): void {
    if (fault === undefined && signs.poolsStillAnswer(error)) return;
    failures += 1;
    if (fault !== undefined || failures >= FAILURES_OF_OUTAGE || refusesWrites(error)) markUnavailable(error);
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
        probeSoon(failures === 1 || threshold.mayBeBack(failures, fault) ? timings.again_after_ms : timings.every_ms);
      });
  }

  function connectionFailed(error: Error): void {
    if (refusesWrites(error)) markUnavailable(error);
    if (fault !== undefined || !isUnavailable(error)) return;
    signs.recordFailure(error);
    prober.requireFullProbe();
    if (failures === 0) probeSoon(0);
  }

  probeSoon(timings.every_ms);
  return {
    fault: () => fault,
    onChange: (listener) => void listeners.push(listener),
    Client: watchedClient({ fault: () => fault, connected, onFailure: connectionFailed, signs }),
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await probing;
      prober.close();
    },
  };
}

/** Decides how many probes must succeed after a fault: twice as many each time that a write is soon refused again. */
function recoveryThreshold() {
  let after_refused_write = SUCCESSES_AFTER_REFUSED_WRITE;
  let writable_since_ms = -Infinity;
  let isWriteRefused = false;
  return {
    /** After a refused write, whose cause probes may not see, a probe that succeeds shows less. */
    mayBeBack: (failures: number, fault: Error | undefined) => failures === 0 && fault !== undefined && !isWriteRefused,
    /** @param isNew whether the database could be used before this error */
    successesAfter(error: Error, isNew: boolean): number {
      isWriteRefused = cannotGrow(error);
      if (!isWriteRefused) return SUCCESSES_TO_RECOVER;
      const isSoon = performance.now() - writable_since_ms < REFUSED_AGAIN_WITHIN_MS;
      const next = isSoon ? Math.min(2 * after_refused_write, SUCCESSES_MAX) : SUCCESSES_AFTER_REFUSED_WRITE;
      if (isNew) after_refused_write = next;
      return after_refused_write;
    },
    recordRecovery(fault: Error): void {
      if (cannotGrow(fault)) writable_since_ms = performance.now();
    },
  };
}

function disconnect(clients: Iterable<pg.Client>): void {
  for (const client of clients) endConnection(client);
}
