import { expect } from 'chai';
import fc from 'fast-check';
import type { Page } from '../../../lib/contracts/lists.ts';
import { pageThrough, signedCursors } from '../../../lib/paging/cursors.ts';
import { problemCode } from '../../../lib/errors/problem.ts';

const cursors = signedCursors(Buffer.alloc(32, 7));

function codeOf(run: () => unknown): string | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    return problemCode(error);
  }
}

describe('list cursors', () => {
  it('give back the position that they were made of', () => {
    fc.assert(
      fc.property(fc.string(), fc.array(fc.string()), (list, position) => {
        expect(cursors.read(list, cursors.write(list, position))).to.deep.equal(position);
      }),
    );
  });

  it('refuse a cursor of another list, of another key, or made up', () => {
    const cursor = cursors.write('members/1', ['a']);
    expect(codeOf(() => cursors.read('members/2', cursor))).to.equal('validation_failed');
    expect(codeOf(() => signedCursors(Buffer.alloc(32, 8)).read('members/1', cursor))).to.equal('validation_failed');
    for (const forged of ['', 'abc', '????', cursor.slice(0, -2), `${cursor}AA`, `${cursor}==`]) {
      expect(
        codeOf(() => cursors.read('members/1', forged)),
        forged,
      ).to.equal('validation_failed');
    }
  });

  it('refuse any change of a single character', () => {
    const cursor = cursors.write('members/1', ['2026-01-01', 'x']);
    fc.assert(
      fc.property(fc.nat(cursor.length - 1), fc.constantFrom(...'AZaz09-_'), (at, character) => {
        fc.pre(cursor[at] !== character);
        const changed = cursor.slice(0, at) + character + cursor.slice(at + 1);
        expect(codeOf(() => cursors.read('members/1', changed))).to.equal('validation_failed');
      }),
    );
  });

  it('page through a list without missing or repeating a row', async () => {
    const rows = Array.from({ length: 23 }, (_, index) => String(index).padStart(3, '0'));
    const fetch = (after: string[] | null, limit: number) =>
      Promise.resolve(rows.filter((row) => after === null || row > (after[0] ?? '')).slice(0, limit));
    for (const limit of [1, 5, 22, 23, 24]) {
      const seen: string[] = [];
      let cursor: string | null = null;
      do {
        const query: { limit: number; cursor?: string } = cursor === null ? { limit } : { limit, cursor };
        const page: Page<string> = await pageThrough(
          cursors,
          'rows',
          query,
          fetch,
          (row) => [row],
          (row) => row,
        );
        seen.push(...page.data);
        cursor = page.next_cursor;
      } while (cursor !== null);
      expect(seen, `limit ${limit}`).to.deep.equal(rows);
    }
  });
});
