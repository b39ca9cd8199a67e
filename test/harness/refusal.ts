import { problemCode, problemExtras } from '../../lib/errors/problem.ts';
import type { ProblemExtras } from '../../lib/errors/problem.ts';

/** Why a call was refused: a problem's code, or the type of Moleculer's validation error. */
export interface Refused {
  code: string | undefined;
  extras: ProblemExtras;
}

/** Waits for a call that must be refused. @throws Error if it is not */
export async function refusalOf(attempt: Promise<unknown>): Promise<Refused> {
  try {
    await attempt;
  } catch (error) {
    const code = problemCode(error);
    if (code !== undefined) return { code, extras: problemExtras(error) };
    // Moleculer's validation error is the gateway's to translate.
    return { code: (error as { type?: string }).type, extras: { error } };
  }
  throw new Error('the call was not refused');
}
