import { API_BASE } from '../../../lib/contracts/api.ts';
import type { Operation } from '../../harness/api-document.ts';
import { inParallel } from '../../harness/in-parallel.ts';
import { api } from '../../harness/own-document.ts';
import type { HttpAnswer, HttpClient, Json } from '../../harness/http.ts';

/** One request of a walk over the operations, and the code or status that it must get. */
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

/** A well-formed id that no object has. */
export const NOTHING = '0192f0c0-0000-7000-8000-000000000000';

/** Returns the operation with this id. */
export function operation(id: string): Operation {
  const found = api.operations.find((each) => each.id === id);
  if (found === undefined) throw new Error(`There is no operation ${id}`);
  return found;
}

/** Returns the operations that document this code. */
export function operationsWith(code: string): Operation[] {
  return api.operations.filter((each) => [...api.codesOf(each).values()].flat().includes(code));
}

/** Returns the first example body that the document shows for the operation. */
export function shownBody({ requestBody }: Operation): Json | undefined {
  const media = requestBody?.content['application/json'];
  return media && (api.examplesOf(media)[0] as Json | undefined);
}

/** Returns the path, with `NOTHING` for each parameter without a value. */
export function pathOf({ path }: Operation, ids: Record<string, string> = {}): string {
  return path.replace(/\{(\w+)\}/g, (_all, name: string) => encodeURIComponent(ids[keyOf(path, name)] ?? NOTHING));
}

/** Returns the key of a path's parameter in the ids: endpoints of all associations are other objects than those of one. */
export function keyOf(path: string, name: string): string {
  return path.startsWith('/webhooks/') ? `global_${name}` : name;
}

/** Returns the path with the API's base, which services receive. */
export function fullPathOf(of: Operation, ids?: Record<string, string>): string {
  return `${API_BASE}${pathOf(of, ids)}`;
}

/** Sends the requests, a few concurrently. @returns a complaint for each unexpected answer */
export async function walk(steps: readonly Step[]): Promise<string[]> {
  const complaints = await inParallel(steps, take);
  return complaints.filter((complaint) => complaint !== undefined);
}

/** Sends the requests one after another, because each depends on the ones before. */
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

/** Sends one request. */
export function send({ operation: of, as, ids, query = '', body, headers }: Step): Promise<HttpAnswer> {
  return as.send(of.method, `${pathOf(of, ids)}${query}`, body, headers);
}
