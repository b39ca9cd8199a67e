import { problemCode } from './problem.ts';

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
