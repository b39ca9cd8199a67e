import { destination, pino, stdTimeFunctions, type LogFn, type Logger } from 'pino';
import type { Settings } from '../config/settings.ts';
import { problemCode } from '../errors/problem.ts';

/** Longer chains of causes are cycles or mistakes. */
const CAUSES_MAX = 5;

/** The fields of a log line about an error. */
export interface Fault {
  /** With the messages of its causes. */
  message: string;
  /** The problem's code, Moleculer's type, or the code of PostgreSQL or the system. */
  code?: string;
  /** With the stacks of its causes. Absent for a problem: it is an answer, not a mistake. */
  stack?: string;
}

/**
 * What the log may contain of an error. Its other members stay out: those of a failed statement hold the statement's
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

/** A connection that was refused at each of a host's addresses has an empty message. */
function messageOf(error: Error): string {
  const parts = error instanceof AggregateError ? (error.errors as unknown[]) : [];
  return error.message || parts.map((part) => faultOf(part).message).join('; ') || error.name;
}

/**
 * A hook of Pino's, which takes `(fields, text)`: Moleculer and the services log `(text, fields)` or `(text, error)`.
 */
export function logMethod(this: Logger, args: unknown[], method: LogFn): void {
  const texts: unknown[] = [];
  const fields: Partial<Fault> & { requestID?: unknown; request_id?: unknown } = {};
  for (const each of args) {
    if (typeof each !== 'object' || each === null) texts.push(each);
    else Object.assign(fields, each instanceof Error ? faultOf(each) : each);
  }
  // One name for request ids, in Moleculer's lines too.
  if (fields.requestID !== undefined) fields.request_id = fields.requestID;
  delete fields.requestID;
  method.call(this, fields, texts.length > 0 ? texts.join(' ') : fields.message);
}

/**
 * The log of a process in production: one JSON object a line.
 * @param fd stdout, or stderr for what ends the process
 */
export function jsonLog(fd: 1 | 2 = 1): Logger {
  return pino(
    {
      level: 'trace',
      base: null,
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (level) => ({ level }) },
      hooks: { logMethod },
    },
    // Written at once, so that the lines before a crash are there.
    destination({ fd, sync: true }),
  );
}

/** The part of the log that belongs to a service, or to one of Moleculer's own modules. */
export function partOfLog(log: Logger, level: string, { nodeID, svc, mod }: Record<string, string>): Logger {
  return log.child({ node_id: nodeID, ...(svc === undefined ? { module: mod } : { service: svc }) }, { level });
}

/** Whether lines of level `info` are written. */
export function logsInfo({ logLevel }: Pick<Settings, 'logLevel'>): boolean {
  return ['info', 'debug', 'trace'].includes(logLevel);
}
