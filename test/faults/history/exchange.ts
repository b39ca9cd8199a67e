import { readFileSync, writeFileSync } from 'node:fs';

export type Json = Record<string, unknown>;

/** One request over HTTP and its answer, as the client saw them. */
export interface Exchange {
  /** Milliseconds of the client's monotonic clock; `returned` is null if no answer came. */
  called: number;
  returned: number | null;
  user: string;
  method: string;
  /** Relative to the API's base, with its query. */
  path: string;
  /** The Idempotency-Key. */
  key: string | null;
  /** The body without PINs. */
  sent: Json;
  status: number | null;
  /** The body of the answer; `{ data }` with all lines if the answer is NDJSON. */
  received: Json;
}

/** Writes a history as NDJSON, for `node test/faults/history/check.ts FILE`. */
export function writeHistory(file: string, history: readonly Exchange[]): void {
  writeFileSync(file, history.map((exchange) => `${JSON.stringify(exchange)}\n`).join(''));
}

export function readHistory(file: string): Exchange[] {
  return readLines(readFileSync(file, 'utf8')) as Exchange[];
}

/** Reads NDJSON. */
export function readLines(text: string): unknown[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as unknown);
}
