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

/** The query of a list. Its other members are filters. */
interface PageQuery {
  limit: number;
  cursor?: string;
}

/** Most pages are read in one piece. Rows may be large, so a page that takes several pieces can end early. */
const PIECE_ROWS = 51;

/** Half of 1 MB, NATS's default limit of a message. Texts of people can be long. */
const PAGE_MAX_BYTES = 512 * 1024;

/** Names a list by its path and the filters of the query. Without filters it is the path. */
export function listName(path: string, query: PageQuery): string {
  const filters = new URLSearchParams({ ...query, limit: '', cursor: '' });
  filters.delete('limit');
  filters.delete('cursor');
  filters.sort();
  return filters.size === 0 ? path : `${path}?${filters.toString()}`;
}

/** A part of a list that selects few of many rows. */
export interface Part<Row> {
  rows: Row[];
  /** The position up to which rows were selected from, if there are more behind it. */
  continue_at: Position | undefined;
}

/**
 * Reads one page of a list. It ends early, with a cursor, where it would be larger than PAGE_MAX_BYTES, or where `fetch` has
 * read enough to find fewer rows.
 * @param list names the list and everything that selects its rows (path ids, filters); cursors are valid only for it
 * @param fetch reads at most `limit` rows after a position, in the list's order. Fewer are the end of the list, or of a Part
 * @param positionOf returns the sort key of a row
 */
export async function pageThrough<Row, Shown>(
  cursors: Cursors,
  list: string,
  query: PageQuery,
  fetch: (after: Position | null, limit: number) => Promise<Row[] | Part<Row>>,
  positionOf: (row: Row) => Position,
  show: (row: Row) => Shown,
): Promise<Page<Shown>> {
  const data: Shown[] = [];
  let bytes_left = PAGE_MAX_BYTES;
  let after = query.cursor === undefined ? null : cursors.read(list, query.cursor);
  for (;;) {
    // One more row than requested shows whether there is another page.
    const wanted = Math.min(query.limit + 1 - data.length, PIECE_ROWS);
    const found = await fetch(after, wanted);
    const { rows, continue_at } = Array.isArray(found) ? { rows: found, continue_at: undefined } : found;
    for (const row of rows) {
      const shown = show(row);
      bytes_left -= Buffer.byteLength(JSON.stringify(shown));
      const isFull = data.length === query.limit || (bytes_left < 0 && data.length > 0);
      if (isFull && after !== null) return { data, next_cursor: cursors.write(list, after) };
      data.push(shown);
      after = positionOf(row);
    }
    if (rows.length === wanted) continue;
    return { data, next_cursor: continue_at === undefined ? null : cursors.write(list, continue_at) };
  }
}
