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

  it('end a page early that would be larger than half a megabyte, and skip no row', async () => {
    const rows = Array.from({ length: 120 }, (_, index) => String(index).padStart(60_000, '0'));
    let most_read = 0;
    const fetch = (after: string[] | null, most: number) => {
      const read = rows.slice(after === null ? 0 : Number(after[0]) + 1).slice(0, most);
      most_read = Math.max(most_read, read.length);
      return Promise.resolve(read);
    };
    const seen: string[] = [];
    for (let cursor: string | undefined, pages = 0; pages === 0 || cursor !== undefined; pages += 1) {
      const query = cursor === undefined ? { limit: 200 } : { limit: 200, cursor };
      const page = await pageThrough(cursors, 'rows', query, fetch, (row) => [String(Number(row))], String);
      expect(JSON.stringify(page.data).length).to.be.at.most(512 * 1024);
      seen.push(...page.data);
      cursor = page.next_cursor ?? undefined;
    }
    expect(seen).to.deep.equal(rows);
    expect(most_read).to.be.at.most(51);
  });

  it('have a row that is larger than a page alone', async () => {
    const rows = ['a'.repeat(600_000), 'b'.repeat(600_000)];
    const fetch = (after: string[] | null) => Promise.resolve(rows.slice(after === null ? 0 : 1));
    const read = (query: { limit: number; cursor?: string }) =>
      pageThrough(
        cursors,
        'rows',
        query,
        fetch,
        (row) => [row.slice(0, 1)],
        (row) => row.slice(0, 1) + row,
      );
    const { data, next_cursor } = await read({ limit: 5 });
    expect(data).to.have.length(1);
    expect((await read({ limit: 5, cursor: next_cursor ?? '' })).next_cursor).to.equal(null);
  });
});
