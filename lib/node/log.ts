import { destination, pino, stdTimeFunctions, type LogFn, type Logger } from 'pino';
import type { Settings } from '../config/settings.ts';
import { problemCode } from '../errors/problem.ts';
import { currentIds } from '../tracing/activity.ts';

/** Longer chains of causes are cycles or programming errors. */
const CAUSES_MAX = 5;

/** The fields of a log line about an error. */
export interface Fault {
  /** The messages of the error and its causes. */
  message: string;
  /** The problem's code, Moleculer's type, or the code of PostgreSQL or the system. */
  code?: string;
  /** The stacks of the error and its causes. Absent for a problem, which is an answer and not a fault. */
  stack?: string;
}

/**
 * Returns the fields of an error that may be logged. The others may be secret: a failed statement's error holds its
 * parameters.
 */
export function faultOf(error: unknown): Fault {
  if (!(error instanceof Error)) return { message: String(error) };
  const chain: Error[] = [];
  for (let each: unknown = error; each instanceof Error && chain.length < CAUSES_MAX; each = each.cause) {
    chain.push(each);
  }
  const message = chain.map(messageOf).join(': ');
  const { type, code: number_or_text } = error as { type?: unknown; code?: unknown };
  const code = [type, number_or_text].find((each) => typeof each === 'string' && each !== '') as string | undefined;
  const stack = chain.map((each) => each.stack ?? messageOf(each)).join('\ncaused by: ');
  return { message, ...(code === undefined ? {} : { code }), ...(problemCode(error) === undefined ? { stack } : {}) };
}

/** Returns the message. It is empty for an AggregateError, as of a connection that each address of a host has refused. */
function messageOf(error: Error): string {
  const parts = error instanceof AggregateError ? (error.errors as unknown[]) : [];
  return error.message || parts.map((part) => faultOf(part).message).join('; ') || error.name;
}

/**
 * Converts arguments for Pino, which expects `(fields, text)`: Moleculer and the services log `(text, fields)` or
 * `(text, error)`.
 */
export function logMethod(this: Logger, args: unknown[], method: LogFn): void {
  const texts: unknown[] = [];
  const fields: Partial<Fault> & { requestID?: unknown; request_id?: unknown } = {};
  for (const each of args) {
    if (typeof each !== 'object' || each === null) texts.push(each);
    else Object.assign(fields, each instanceof Error ? faultOf(each) : each);
  }
  // Request ids have one name, in Moleculer's lines too.
  if (fields.requestID !== undefined) fields.request_id = fields.requestID;
  delete fields.requestID;
  method.call(this, fields, texts.length > 0 ? texts.join(' ') : fields.message);
}

/**
 * Returns the log of a process in production, with one JSON object a line.
 * @param fd stdout (1), or stderr (2) for the error that ends the process
 */
export function jsonLog(fd: 1 | 2 = 1): Logger {
  return pino(
    {
      level: 'trace',
      base: null,
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (level) => ({ level }) },
      hooks: { logMethod },
      // Each line has the ids of the request or event on whose behalf it was written.
      mixin: currentIds,
    },
    // Written synchronously, so that no line before a crash is lost.
    destination({ fd, sync: true }),
  );
}

/** Returns the part of the log that belongs to a service, or to one of Moleculer's own modules. */
export function partOfLog(log: Logger, level: string, { nodeID, svc, mod }: Record<string, string>): Logger {
  return log.child({ node_id: nodeID, ...(svc === undefined ? { module: mod } : { service: svc }) }, { level });
}

/** Whether lines of level `info` are written. */
export function logsInfo({ logLevel }: Pick<Settings, 'logLevel'>): boolean {
  return ['info', 'debug', 'trace'].includes(logLevel);
}
