import pg from 'pg';
import { problem } from '../errors/problem.ts';
import { isConnectionLimit, refusesWrites } from './errors.ts';

/** What the connections of a database's pools show about the server. */
export interface PoolSigns {
  /** Records that the server has answered on a connection. */
  recordAnswer(): void;
  /** Records that a connection, or a statement on it, has failed. */
  recordFailure(error: Error): void;
  /** Records that the probe was given a connection. */
  recordProbeConnection(): void;
  /** Forgets earlier answers: they say nothing about the server any more. */
  forgetAnswers(): void;
  /** Whether the pools are still answered although a probe failed: then it is not an outage. */
  poolsStillAnswer(probeError: Error): boolean;
}

/** Builds an empty record. An answer counts for `valid_ms`. */
export function recordPoolSigns(valid_ms: number): PoolSigns {
  let answered_ms = -Infinity;
  let isRefusedConnection = false;
  const forgetAnswers = () => {
    answered_ms = -Infinity;
  };
  return {
    recordAnswer() {
      answered_ms = performance.now();
    },
    recordFailure(error) {
      if (isConnectionLimit(error)) isRefusedConnection = true;
      else if (!refusesWrites(error)) forgetAnswers();
    },
    recordProbeConnection() {
      isRefusedConnection = false;
    },
    forgetAnswers,
    poolsStillAnswer(probeError) {
      if (refusesWrites(probeError)) return false;
      // The server refuses the probe's connection, but has refused none of the pools'.
      if (isConnectionLimit(probeError)) return !isRefusedConnection;
      return performance.now() - answered_ms < valid_ms;
    },
  };
}

/** How a pool's connections report to the watch of their database. */
export interface ConnectionWatch {
  /** Why the database cannot be used; undefined while it can. */
  fault: () => Error | undefined;
  /** The open connections. */
  connected: Set<pg.Client>;
  onFailure: (error: Error) => void;
  signs: PoolSigns;
}

/** Returns a client class for pools: its connections are watched, and are refused while the database cannot be used. */
export function watchedClient({ fault, connected, onFailure, signs }: ConnectionWatch): typeof pg.Client {
  return class extends pg.Client {
    constructor(config?: string | pg.ClientConfig) {
      super(config);
      this.connection
        .on('errorMessage', onFailure)
        .on('error', onFailure)
        .on('readyForQuery', () => signs.recordAnswer());
      // Statements on a lost connection fail. Without a listener, its loss would also end the process.
      this.on('error', () => undefined);
      this.once('end', () => {
        connected.delete(this);
        signs.forgetAnswers();
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
