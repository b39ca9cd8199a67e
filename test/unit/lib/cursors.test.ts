import { expect } from 'chai';
import fc from 'fast-check';
import type { Page } from '../../../lib/contracts/fields.ts';
import { pageThrough, signedCursors } from '../../../lib/paging/cursors.ts';

const cursors = signedCursors(Buffer.alloc(32, 7));

function expectRefusal(read: () => unknown): void {
  expect(read).to.throw().that.includes({ type: 'validation_failed' });
}

describe('list cursors', () => {
  it('return the position that they were created from', () => {
    fc.assert(
      fc.property(fc.string(), fc.array(fc.string()), (list, position) => {
        expect(cursors.read(list, cursors.write(list, position))).to.deep.equal(position);
      }),
    );
  });

  it('are refused if they belong to another list, are signed with another key, or are made up', () => {
    const cursor = cursors.write('members/1', ['a']);
    expectRefusal(() => cursors.read('members/2', cursor));
    expectRefusal(() => signedCursors(Buffer.alloc(32, 8)).read('members/1', cursor));
    for (const forged of ['', 'abc', '????', cursor.slice(0, -2), `${cursor}AA`, `${cursor}==`]) {
      expectRefusal(() => cursors.read('members/1', forged));
    }
  });

  it('are refused after a change of any single character', () => {
    const cursor = cursors.write('members/1', ['2026-01-01', 'x']);
    fc.assert(
      fc.property(fc.nat(cursor.length - 1), fc.constantFrom(...'AZaz09-_'), (at, character) => {
        fc.pre(cursor[at] !== character);
        const changed = cursor.slice(0, at) + character + cursor.slice(at + 1);
        expectRefusal(() => cursors.read('members/1', changed));
      }),
    );
  });

  for (const limit of [1, 5, 22, 23, 24]) {
    it(`page through a list with limit ${String(limit)} without skipping or repeating a row`, async () => {
      const rows = Array.from({ length: 23 }, (_, index) => String(index).padStart(3, '0'));
      const fetch = (after: string[] | null, most: number) =>
        Promise.resolve(rows.filter((row) => row > (after?.[0] ?? '')).slice(0, most));
      const read = (cursor?: string): Promise<Page<string>> => {
        const query = cursor === undefined ? { limit } : { limit, cursor };
        return pageThrough(cursors, 'rows', query, fetch, (row) => [row], String);
      };
      let page = await read();
      const seen = [...page.data];
      while (page.next_cursor !== null) {
        page = await read(page.next_cursor);
        seen.push(...page.data);
      }
      expect(seen).to.deep.equal(rows);
    });
  }
});
