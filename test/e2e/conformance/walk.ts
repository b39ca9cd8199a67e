import { API_BASE } from '../../../lib/contracts/api.ts';
import type { Operation } from '../../harness/api-document.ts';
import { api } from '../../harness/own-document.ts';
import type { HttpAnswer, HttpClient, Json } from '../../harness/http.ts';

/** One request of a walk over the operations, and the code or status that it has to give. */
export interface Step {
  operation: Operation;
  as: HttpClient;
  /** Values of the path's parameters. */
  ids?: Record<string, string>;
  query?: string;
  body?: unknown;
  headers?: Record<string, string>;
  expected: string | number;
}

/** A few at once: the tests share two cores with the servers. */
const PARALLEL = 6;

/** Well-formed, and names nothing. */
export const NOTHING = '0192f0c0-0000-7000-8000-000000000000';

/** The operation of this name. */
export function operation(id: string): Operation {
  const found = api.operations.find((each) => each.id === id);
  if (found === undefined) throw new Error(`There is no operation ${id}`);
  return found;
}

/** The operations that document this code. */
export function operationsWith(code: string): Operation[] {
  return api.operations.filter((each) => [...api.codesOf(each).values()].flat().includes(code));
}

/** The body that the document shows for the operation; the first of several. */
export function shownBody({ requestBody }: Operation): Json | undefined {
  const media = requestBody?.content['application/json'];
  return media && (api.examplesOf(media)[0] as Json | undefined);
}

/** The path, with `NOTHING` where no value is given. */
export function pathOf({ path }: Operation, ids: Record<string, string> = {}): string {
  return path.replace(/\{(\w+)\}/g, (_all, name: string) => encodeURIComponent(ids[name] ?? NOTHING));
}

/** The same with the API's base, as services see it. */
export function fullPathOf(of: Operation, ids?: Record<string, string>): string {
  return `${API_BASE}${pathOf(of, ids)}`;
}

/** Sends the requests, a few at a time. @returns what did not give what it had to */
export async function walk(steps: readonly Step[]): Promise<string[]> {
  const waiting = [...steps];
  const wrong: string[] = [];
  const worker = async () => {
    for (let step = waiting.shift(); step !== undefined; step = waiting.shift()) {
      const complaint = await take(step);
      if (complaint !== undefined) wrong.push(complaint);
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, worker));
  return wrong;
}

/** The same one after the other, for those that depend on what came before. */
export async function walkInOrder(steps: readonly Step[]): Promise<string[]> {
  const wrong: string[] = [];
  for (const step of steps) {
    const complaint = await take(step);
    if (complaint !== undefined) wrong.push(complaint);
  }
  return wrong;
}

async function take(step: Step): Promise<string | undefined> {
  try {
    const answer = await send(step);
    const given = typeof step.expected === 'number' ? answer.status : (answer.body.code ?? answer.status);
    if (given === step.expected) return undefined;
    return `${step.operation.id}: ${String(step.expected)} expected, but ${String(answer.status)} ${answer.text}`;
  } catch (error) {
    return `${step.operation.id}: ${String(step.expected)} expected, but ${(error as Error).message}`;
  }
}

/** Sends one. */
export function send({ operation: of, as, ids, query = '', body, headers }: Step): Promise<HttpAnswer> {
  return as.send(of.method, `${pathOf(of, ids)}${query}`, body, headers);
}
