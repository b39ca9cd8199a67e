/** A service that is built on packages/contracts: what it consists of, whether it runs alone or in one process with others. */
import type { ActionSchema } from 'moleculer';
import type { VariableType } from '../config/variable-types.ts';
import type { ServiceApi } from '../contracts/service-api.ts';
import type { SqlDatabase, SqlMigration } from '../db/sql-database.ts';
import type { Subscription } from '../events/handle-events.ts';
import type { InsertClaim } from '../idempotency/claims.ts';
import type { Clock } from '../node/clock.ts';
import type { Log } from '../node/logger.ts';
import type { Cursors } from '../paging/cursors.ts';
import type { CanCall } from './call.ts';
import type { RecurringJob } from './recurring-job.ts';

/** Reads a setting that only this service has; undefined if the variable is not set. */
export type ReadSetting = <T>(variable: string, type: VariableType<T>) => T | undefined;

export interface ServiceDefinition<S = unknown> {
  /** The service's login at NATS, and the beginning of the names of its actions and consumers. */
  readonly name: string;
  readonly version: string;
  /** The HTTP routes that gateways offer for it. */
  readonly api?: ServiceApi;
  /** With an API they include SERVICE_TABLES. */
  readonly migrations: readonly SqlMigration[];
  /** The variables that hold secrets: for each variable X of them, X_FILE may name a file that holds the value. */
  readonly secrets?: readonly string[];
  /** More such variables, which development makes. In production they must be set. */
  readonly generatedSecrets?: readonly string[];
  /** @throws StartupError with a message of one line */
  readonly settings?: (read: ReadSetting, about: { production: boolean }) => S;
  /** Returns what the service offers and does. Nothing runs yet. */
  readonly start: (parts: ServiceParts<S>) => StartedParts | Promise<StartedParts>;
}

/** What a service works with. */
export interface ServiceParts<S = unknown> extends ServiceRuntime {
  readonly service: string;
  /** Its own database. */
  readonly db: SqlDatabase;
  readonly log: Log;
  /** Calls actions of other services, outside an action. */
  readonly broker: CanCall;
  readonly settings: S;
  readonly production: boolean;
  readonly cursors: Cursors;
  readonly insertClaim: InsertClaim;
  /** The same functions as here, in the form that implementWrite() takes. */
  readonly runtime: ServiceRuntime;
}

/** Time, randomness and fault points of a process. */
export interface ServiceRuntime {
  /** Under CLOCK=test the shared clock of all services. */
  clock: Clock;
  /** The real time, also under CLOCK=test: for what other systems compare with their own clock. */
  systemClock: Clock;
  /** Returns a new UUIDv7. */
  newId: () => string;
  randomBytes: (length: number) => Buffer;
  /** Announces a named step. In production it does nothing; tests stop the process there. */
  reached: (step: string) => Promise<void>;
}

/** What a service offers and does. */
export interface StartedParts {
  /** By name without the service's. */
  readonly actions: Record<string, ActionSchema>;
  readonly subscriptions?: readonly Subscription[];
  readonly jobs?: readonly RecurringJob[];
  /** Ends what else it has started. */
  readonly stop?: () => Promise<void>;
}

/** Defines a service. */
export function defineService<S = undefined>(definition: ServiceDefinition<S>): ServiceDefinition<S> {
  return definition;
}
