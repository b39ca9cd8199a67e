import { StartupError } from '../../lib/config/startup-error.ts';
import { problemCode, problemExtras, type ProblemExtras } from '../../lib/errors/problem.ts';

/** PostgreSQL's code for a statement that a role has no privilege for. */
export const INSUFFICIENT_PRIVILEGE = '42501';

/** The reason for which a call or a statement was refused. */
export interface Refused {
  /** The code of a problem, the type of a Moleculer error, or the violated constraint or code of a PostgreSQL error. */
  code: string;
  extras: ProblemExtras;
}

/** Waits for a call that must be refused. @throws Error if the call succeeds */
export async function refusalOf(attempt: Promise<unknown>): Promise<Refused> {
  try {
    await attempt;
  } catch (error) {
    const { type, constraint, code, message } = error as Error &
      Partial<Record<'type' | 'constraint' | 'code', string>>;
    return { code: problemCode(error) ?? type ?? constraint ?? code ?? message, extras: problemExtras(error) };
  }
  throw new Error('the call was not refused');
}

/** Returns the code of a refusal and the pointers to the wrong fields. */
export async function complaintOf(attempt: Promise<unknown>): Promise<string[]> {
  const { code, extras } = await refusalOf(attempt);
  const fields = (extras.errors ?? []) as { pointer: string }[];
  return [code, ...fields.map(({ pointer }) => pointer)];
}

/** Returns the code of a refusal; `done` if the call succeeds. */
export function outcomeOf(attempt: Promise<unknown>): Promise<string> {
  return attempt.then(
    () => 'done',
    async (error: Error) => (await refusalOf(Promise.reject(error))).code,
  );
}

/** Returns the message of one line with which a start is refused. @throws for any other outcome */
export async function startRefusalOf(attempt: Promise<unknown>): Promise<string> {
  const error = await attempt.then(
    () => new Error('the start was not refused'),
    (reason: unknown) => reason,
  );
  if (error instanceof StartupError && !error.message.includes('\n')) return error.message;
  throw error;
}

/** Returns the outcomes of all calls, sorted. */
export async function outcomesOf(attempts: Promise<unknown>[]): Promise<string[]> {
  return (await Promise.all(attempts.map(outcomeOf))).toSorted();
}

/** Makes `count` concurrent calls. */
export function atOnce<T>(count: number, call: (index: number) => Promise<T>): Promise<T>[] {
  return Array.from({ length: count }, (_, index) => call(index));
}
