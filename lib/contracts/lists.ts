import { defaulting, described, integer, list, nullable, object, opaque, optional } from '../schema/fields.ts';
import type { Field } from '../schema/fields.ts';

/** A page longer than this would hold a connection and memory for too long; a longer list is read page by page. */
export const PAGE_MAX_ROWS = 200;
export const PAGE_DEFAULT_ROWS = 50;

/** A cursor is a signed pair of short keys: far below this. */
const CURSOR_MAX_LENGTH = 1_024;

/** The query parameters that every list takes. */
export const pageQuery = {
  limit: defaulting(described(integer(1, PAGE_MAX_ROWS), 'How many items a page has at most.', 20), PAGE_DEFAULT_ROWS),
  cursor: described(
    optional(opaque(CURSOR_MAX_LENGTH)),
    'The `next_cursor` of the page before, of the same list with the same filters.',
  ),
};

/** One page of a list. */
export const pageOf = <F extends Field>(of: F) =>
  object({
    data: described(list(of), 'The items of this page.'),
    next_cursor: described(
      nullable(opaque(CURSOR_MAX_LENGTH)),
      'What to ask the next page with; null on the last one.',
      null,
    ),
  });

export interface Page<T> {
  data: T[];
  next_cursor: string | null;
}
