import { isErrorCode } from '../../../lib/errors/codes.ts';
import type { Problem } from '../../../lib/errors/problem.ts';
import { callFailure, problem, problemCode, problemExtras } from '../../../lib/errors/problem.ts';

/** What is known after asking another service: it did it, it refused for good, or only asking again can tell. */
export type Outcome<T> = { kind: 'done'; answer: T } | { kind: 'refused'; problem: Problem } | { kind: 'unknown' };

/**
 * Waits for a call that is safe to repeat and says what is known then. A call that surely did not run counts as
 * unknown too: somebody else may be driving the same step and have got further.
 */
export async function outcomeOf<T>(asked: Promise<T>): Promise<Outcome<T>> {
  try {
    return { kind: 'done', answer: await asked };
  } catch (error) {
    const code = problemCode(error);
    if (code !== undefined && callFailure(error) === 'refused') {
      return { kind: 'refused', problem: problem(code, problemExtras(error)) };
    }
    return { kind: 'unknown' };
  }
}

/** The refusal that was stored with what it ended, to be given again. */
export function storedRefusal(code: string | null): Problem {
  return problem(isErrorCode(code) ? code : 'internal_error');
}
