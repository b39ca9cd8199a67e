import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto';
import type { Page } from '../contracts/fields.ts';
import { invalid } from '../errors/problem.ts';

/** Half of SHA-256's length: a forgery takes 2^128 guesses, and cursors stay short. */
const SIGNATURE_BYTES = 16;

/** The sort key of the last row of a page. */
export type Position = string[];

/** Writes and reads cursors, which are signed for one list: forged cursors and those of other lists are refused. */
export interface Cursors {
  write(list: string, position: Position): string;
  /** @throws validation_failed naming `cursor` */
  read(list: string, cursor: string): Position;
}

/** Returns cursors that are signed with `key`. */
export function signedCursors(key: Buffer): Cursors {
  // Created once: creating a key costs five times as much as signing.
  const secret = createSecretKey(key);
  const sign = (list: string, position: string) =>
    createHmac('sha256', secret).update(list).update('\n').update(position).digest().subarray(0, SIGNATURE_BYTES);
  return {
    write(list, position) {
      const text = JSON.stringify(position);
      return Buffer.concat([sign(list, text), Buffer.from(text)]).toString('base64url');
    },
    read(list, cursor) {
      const bytes = Buffer.from(cursor, 'base64url');
      const text = bytes.subarray(SIGNATURE_BYTES).toString();
      const genuine =
        bytes.length > SIGNATURE_BYTES &&
        bytes.toString('base64url') === cursor &&
        timingSafeEqual(bytes.subarray(0, SIGNATURE_BYTES), sign(list, text));
      if (!genuine) {
        throw invalid({ pointer: 'cursor', code: 'cursor', detail: 'This cursor is not from this list.' });
      }
      return JSON.parse(text) as Position;
    },
  };
}

/**
 * Reads one page of a list.
 * @param list names the list and everything that selects its rows (path ids, filters); cursors are valid only for it
 * @param fetch reads at most `limit` rows after a position, in the list's order
 * @param positionOf returns the sort key of a row
 */
export async function pageThrough<Row, Shown>(
  cursors: Cursors,
  list: string,
  query: { limit: number; cursor?: string },
  fetch: (after: Position | null, limit: number) => Promise<Row[]>,
  positionOf: (row: Row) => Position,
  show: (row: Row) => Shown,
): Promise<Page<Shown>> {
  const after = query.cursor === undefined ? null : cursors.read(list, query.cursor);
  // One more row than requested shows whether there is another page.
  const rows = await fetch(after, query.limit + 1);
  const shown = rows.slice(0, query.limit);
  const last = rows.length > query.limit ? shown.at(-1) : undefined;
  return { data: shown.map(show), next_cursor: last === undefined ? null : cursors.write(list, positionOf(last)) };
}
