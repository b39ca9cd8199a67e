/** One page of a list. */
export interface Page<T> {
  data: T[];
  next_cursor: string | null;
}

/** Yields every item of a list. `read` returns the page at a cursor, or the first page. */
export async function* each<T>(read: (cursor: string | undefined) => Promise<Page<T>>): AsyncGenerator<T, void> {
  let cursor: string | undefined;
  do {
    const page: Page<T> = await read(cursor);
    yield* page.data;
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
}
