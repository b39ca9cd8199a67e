import { createLocalJWKSet, errors, type JWK, type JWTVerifyGetKey } from 'jose';
import type { Logger } from 'moleculer';
import type { ProviderSettings } from '../../../lib/config/jwt-settings.ts';
import { problem } from '../../../lib/errors/problem.ts';
import type { Clock } from '../../../lib/node/clock.ts';
import { fetchKeys } from './fetch-keys.ts';

/** Providers rotate keys every few days. A withdrawn key is dropped after this time. */
const REFRESH_MS = 10 * 60_000;
/** The wait after a failed fetch, and between fetches for unknown key ids, which any client can invent. */
const RETRY_MS = 30_000;
/** While there is no key set every request fails, so the provider is asked more often. */
const FIRST_RETRY_MS = 5_000;
/** The API survives an outage of the provider of one day. */
const GOOD_FOR_MS = 24 * 3_600_000;
/** The interval at which the set checks whether a fetch is due. */
const TICK_MS = 1_000;

/** `degraded`: the last fetch failed, and an earlier set is used. `down`: there is no set. */
export type KeySetState = 'up' | 'degraded' | 'down';

const MESSAGES: Record<KeySetState, string> = {
  up: 'token key set fetched',
  degraded: 'token key set cannot be fetched, the last one stays in use',
  down: 'no token key set: tokens cannot be verified',
};

/** All keys of an identity provider (RFC 7517), kept up to date in the background. */
export interface KeySet {
  /**
   * Returns the function that finds the key of a token in the current set. It is the same function until the set
   * changes.
   * @throws service_unavailable while there is no set
   */
  current(): Promise<JWTVerifyGetKey>;
  /**
   * Finds the key of a token. Only an unknown key id can cause a fetch.
   * @throws errors of `jose`
   */
  getKey: JWTVerifyGetKey;
  state(): KeySetState;
  /** Fetches the set if a fetch is due. Never rejects. */
  refreshIfDue(): Promise<void>;
  /** Starts to keep the set up to date. Does not wait for the first fetch. */
  start(log: Pick<Logger, 'info' | 'warn' | 'error'>): void;
  stop(): void;
}

/** Creates a key set. Nothing is fetched before `start()` or `refreshIfDue()`. */
export function keySet(provider: ProviderSettings, clock: Clock): KeySet {
  let keys: JWK[] = [];
  let find: JWTVerifyGetKey = createLocalJWKSet({ keys });
  let fetched_ms = -Infinity;
  let asked_ms = -Infinity;
  let failure: string | undefined;
  let fetching: Promise<void> | undefined;
  let logged: string | undefined;
  let log: Parameters<KeySet['start']>[0] | undefined;
  let timer: NodeJS.Timeout | undefined;

  const now_ms = () => clock().getTime();
  /** Whether a fetch is due. It is due immediately if the clock was set back. */
  const isDue = (pause_ms: number) => now_ms() - asked_ms >= pause_ms || now_ms() < asked_ms;
  const state = () => (now_ms() - fetched_ms >= GOOD_FOR_MS ? 'down' : failure === undefined ? 'up' : 'degraded');

  /** Fetches the set, or waits for the fetch that is in progress. */
  const refresh = () => (fetching ??= fetchSet());

  async function fetchSet(): Promise<void> {
    asked_ms = now_ms();
    try {
      const fresh = await fetchKeys(provider);
      // Verified tokens stay cached until the set changes.
      if (JSON.stringify(fresh) !== JSON.stringify(keys)) find = createLocalJWKSet({ keys: fresh });
      keys = fresh;
      fetched_ms = now_ms();
      failure = undefined;
    } catch (error) {
      failure = (error as Error).message;
    }
    fetching = undefined;
    logChange();
  }

  /** Logs a change of the state, or of the reason for it. */
  function logChange(): void {
    const current = state();
    const line = `${current} ${failure ?? ''}`;
    if (line === logged) return;
    const level = current === 'up' && logged === undefined ? 'info' : current === 'down' ? 'error' : 'warn';
    log?.[level](MESSAGES[current], { keys: keys.length, reason: failure });
    logged = line;
  }

  async function refreshIfDue(): Promise<void> {
    const pause_ms = failure === undefined ? REFRESH_MS : state() === 'down' ? FIRST_RETRY_MS : RETRY_MS;
    if (isDue(pause_ms)) await refresh();
    else if (fetching === undefined) logChange();
  }

  return {
    state,
    refreshIfDue,
    async current() {
      if (state() === 'down') await fetching;
      if (state() === 'down') throw problem('service_unavailable');
      return find;
    },
    async getKey(header, token) {
      try {
        return await find(header, token);
      } catch (error) {
        const mayFetch = fetching !== undefined || isDue(RETRY_MS);
        if (!(error instanceof errors.JWKSNoMatchingKey) || !mayFetch) throw error;
        await refresh();
        return find(header, token);
      }
    },
    start(logger) {
      log = logger;
      timer = setInterval(() => void refreshIfDue(), TICK_MS).unref();
      void refreshIfDue();
    },
    stop() {
      clearInterval(timer);
    },
  };
}
