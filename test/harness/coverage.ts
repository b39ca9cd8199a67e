/**
 * Records the outcomes of the OpenAPI document that the end-to-end tests of the run have reached, as `operation status
 * code` (without a code for a success), and the documented `Location` headers that they have followed.
 */
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { API_BASE } from '../../lib/contracts/api.ts';
import { api } from './own-document.ts';
import { onFileEnd } from './file-end.ts';
import { runFolder } from './servers.ts';

const reached = new Set<string>();
/** `operation status` for each `Location` that was followed. */
const followed = new Set<string>();

/** A client that can follow a `Location`. */
interface Asking {
  readonly origin: string;
  send(method: string, path: string): Promise<{ status: number; text: string }>;
}

/** `operation status` -> the latest `Location` of such an answer, and the client that received it. */
const located = new Map<string, { location: string; asking: Asking }>();

export function noteOutcome(outcome: string): void {
  reached.add(outcome);
}

/** Records the `Location` of an answer, the latest of each operation and status. */
export function noteLocation(
  method: string,
  pathname: string,
  { status, headers }: { status: number; headers: Headers },
  asking: Asking,
): void {
  const location = headers.get('location');
  const operation = api.operationFor(method, pathname);
  if (location !== null && operation !== undefined)
    located.set(`${operation.id} ${String(status)}`, { location, asking });
}

/** Forgets the `Location` headers of earlier tests, whose groups have changed since then. */
export function forgetLocations(): void {
  located.clear();
}

/** Follows each `Location` with the client that received it. @returns a complaint for each answer other than 200 */
export async function followLocations(): Promise<string[]> {
  const wrong: string[] = [];
  for (const [outcome, { location, asking }] of located) {
    const { status, text } = await asking.send('GET', location.slice(API_BASE.length));
    if (status !== 200) wrong.push(`${outcome}: ${location} gave ${String(status)} ${text}`);
    followed.add(outcome);
  }
  return wrong;
}

/** Returns the documented outcomes that no process of the run has reached, as `operation status code`. */
export function unreached(): string[] {
  const seen = ofTheRun('reached', reached);
  const documented = api.operations.flatMap((operation) => {
    const codes = api.codesOf(operation);
    return Object.keys(operation.responses)
      .filter((status) => status !== 'default')
      .flatMap((status) => codes.get(status)?.map((code) => `${status} ${code}`) ?? [status])
      .map((outcome) => `${operation.id} ${outcome}`);
  });
  return documented.filter((outcome) => !seen.has(outcome));
}

/** Returns `operation status` for each documented `Location` that no process of the run has followed. */
export function unfollowedLocations(): string[] {
  const seen = ofTheRun('followed', followed);
  const documented = api.operations.flatMap(({ id, responses }) =>
    Object.entries(responses)
      .filter(([, { headers }]) => headers?.Location !== undefined)
      .map(([status]) => `${id} ${status}`),
  );
  return documented.filter((outcome) => !seen.has(outcome));
}

const folder = () => join(runFolder(), 'coverage');

// Each process of the run writes its records to a file, which the last test file reads.
onFileEnd(() => {
  mkdirSync(folder(), { recursive: true });
  const seen = { reached: [...reached], followed: [...followed] };
  writeFileSync(join(folder(), `${String(process.pid)}.json`), JSON.stringify(seen));
  return Promise.resolve();
});

function ofTheRun(name: 'reached' | 'followed', here: ReadonlySet<string>): Set<string> {
  const files = existsSync(folder()) ? globSync(join(folder(), '*.json')) : [];
  const elsewhere = files.map((file) => JSON.parse(readFileSync(file, 'utf8')) as Record<typeof name, string[]>);
  return new Set([...here, ...elsewhere.flatMap((seen) => seen[name])]);
}
