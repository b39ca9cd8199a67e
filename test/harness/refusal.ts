import { StartupError } from '../../lib/config/startup-error.ts';
import { problemCode, problemExtras, type ProblemExtras } from '../../lib/errors/problem.ts';

/** Why a call was refused: a problem's code, or the type of one of Moleculer's own errors. */
export interface Refused {
  code: string;
  extras: ProblemExtras;
}

/** Waits for a call that must be refused. @throws Error if it is not */
export async function refusalOf(attempt: Promise<unknown>): Promise<Refused> {
  try {
    await attempt;
  } catch (error) {
    const code = problemCode(error) ?? (error as { type?: string }).type ?? (error as Error).message;
    return { code, extras: problemExtras(error) };
  }
  throw new Error('the call was not refused');
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
