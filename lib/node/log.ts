import { destination, pino, stdTimeFunctions, type LogFn, type Logger } from 'pino';
import type { LogLevel } from '../config/log-levels.ts';
import { faultOf, type Fault } from '../errors/fault.ts';
import { currentIds } from '../tracing/activity.ts';
import type { Log } from './logger.ts';

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
export function logsInfo({ logLevel }: { logLevel: LogLevel }): boolean {
  return ['info', 'debug', 'trace'].includes(logLevel);
}

/** Returns the log of a service of another team, one JSON object a line. */
export function serviceLog(service: string, level: LogLevel): Log {
  return jsonLog().child({ service }, { level });
}
