/** A problem document of the service (RFC 9457), with the additional members of its code. */
export interface Problem {
  type: string;
  title: string;
  status: number;
  detail: string;
  instance: string;
  code: string;
  request_id: string;
  [extra: string]: unknown;
}

/** Thrown by answered() for a problem. Use its `code` to handle it. */
export class ProblemError extends Error {
  readonly problem: Problem;
  readonly code: string;
  readonly status: number;

  constructor(problem: Problem) {
    super(`${problem.code}: ${problem.detail}`);
    this.name = 'ProblemError';
    this.problem = problem;
    this.code = problem.code;
    this.status = problem.status;
  }
}

/** The result of every call: the answer or the problem. */
interface Outcome<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

/**
 * Returns the answer of a call.
 * @throws ProblemError for a problem; Error for an answer that is not from the service, such as a page of a proxy
 */
export function answered<T>({ data, error, response }: Outcome<T>): T {
  if (response.ok) return data as T;
  if (isProblem(error)) throw new ProblemError(error);
  throw new Error(`The service answered ${String(response.status)} without a problem document`);
}

/** Returns the code of a problem, read from a copy of the answer, or undefined for any other answer. */
export async function problemCode(answer: Response): Promise<string | undefined> {
  if (answer.ok || answer.headers.get('Content-Type')?.includes('json') !== true) return undefined;
  const problem: unknown = await answer
    .clone()
    .json()
    .catch(() => undefined);
  return isProblem(problem) ? problem.code : undefined;
}

function isProblem(error: unknown): error is Problem {
  return typeof error === 'object' && error !== null && typeof (error as { code?: unknown }).code === 'string';
}
