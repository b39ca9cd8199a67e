import * as t from '../schema/fields.ts';

/** A longer page would hold a connection and memory for too long. */
export const PAGE_MAX_ROWS = 200;
export const PAGE_DEFAULT_ROWS = 50;

/** A cursor is a signed pair of short keys: far below this. */
const CURSOR_MAX_LENGTH = 1_024;

/** The query parameters of every list. */
export const pageQuery = {
  limit: t.withDefault(t.integer(1, PAGE_MAX_ROWS, 'The largest number of items in the page.', 20), PAGE_DEFAULT_ROWS),
  cursor: t.optional(t.opaque(CURSOR_MAX_LENGTH, '`next_cursor` of the previous page, with the same filters.')),
};

/** One page of a list. */
export const pageOf = <F extends t.Field>(of: F) =>
  t.object({
    data: t.list(of, 'The items of this page.'),
    next_cursor: t.nullable(t.opaque(CURSOR_MAX_LENGTH, 'The `cursor` of the next page; null on the last page.'), null),
  });

export interface Page<T> {
  data: T[];
  next_cursor: string | null;
}
