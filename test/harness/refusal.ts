import { StartupError } from '../../lib/config/startup-error.ts';
import { problemCode, problemExtras, type ProblemExtras } from '../../lib/errors/problem.ts';

/** PostgreSQL's code for a statement that a role may not run. */
export const INSUFFICIENT_PRIVILEGE = '42501';

/** Why a call or a statement was refused. */
export interface Refused {
  /** A problem's code, the type of one of Moleculer's errors, or of PostgreSQL the broken constraint or else the code. */
  code: string;
  extras: ProblemExtras;
}

/** Waits for a call that must be refused. @throws Error if it is not */
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

/** The code of a refusal, and the pointers to the fields of which it complains. */
export async function complaintOf(attempt: Promise<unknown>): Promise<string[]> {
  const { code, extras } = await refusalOf(attempt);
  const fields = (extras.errors ?? []) as { pointer: string }[];
  return [code, ...fields.map(({ pointer }) => pointer)];
}

/** The code with which a call is refused; `done` if it is not. */
export function outcomeOf(attempt: Promise<unknown>): Promise<string> {
  return attempt.then(
    () => 'done',
    async (error: Error) => (await refusalOf(Promise.reject(error))).code,
  );
}

/** The one line with which a start is refused. @throws if it is not */
export async function startRefusalOf(attempt: Promise<unknown>): Promise<string> {
  const error = await attempt.then(
    () => new Error('the start was not refused'),
    (reason: unknown) => reason,
  );
  if (error instanceof StartupError && !error.message.includes('\n')) return error.message;
  throw error;
}

/** How many calls had each outcome, sorted by outcome. */
export async function outcomesOf(attempts: Promise<unknown>[]): Promise<string[]> {
  return (await Promise.all(attempts.map(outcomeOf))).toSorted();
}

/** A number of calls made at once, each by `call`. */
export function atOnce<T>(count: number, call: (index: number) => Promise<T>): Promise<T>[] {
  return Array.from({ length: count }, (_, index) => call(index));
}
