import { expect } from 'chai';
import fc from 'fast-check';
import type { Page } from '../../../lib/contracts/fields.ts';
import { listName, pageThrough, signedCursors } from '../../../lib/paging/cursors.ts';

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

  it('end a page early, perhaps without rows, where a part of the list has too few, and skip no row', async () => {
    const PART_ROWS = 10;
    const chosen = (row: number) => row < 4 || row > 70;
    const fetch = (after: string[] | null, most: number) => {
      const first = after === null ? 0 : Number(after[0]) + 1;
      const part = Array.from({ length: PART_ROWS }, (_, index) => first + index).filter((row) => row < 80);
      const last = part.at(-1) ?? 0;
      return Promise.resolve({
        rows: part.filter(chosen).slice(0, most),
        continue_at: last < 79 ? [String(last)] : undefined,
      });
    };
    const seen: number[][] = [];
    for (let cursor: string | undefined, pages = 0; pages === 0 || cursor !== undefined; pages += 1) {
      const query = cursor === undefined ? { limit: 6 } : { limit: 6, cursor };
      const page = await pageThrough(
        cursors,
        'rows',
        query,
        fetch,
        (row) => [String(row)],
        (row) => row,
      );
      seen.push(page.data);
      cursor = page.next_cursor ?? undefined;
    }
    expect(seen.flat()).to.deep.equal(Array.from({ length: 80 }, (_, row) => row).filter(chosen));
    expect(seen[1]).to.deep.equal([]);
  });

  it('belong to the path and the filters of a list', () => {
    const page = { limit: 5, cursor: 'c' };
    expect(listName('ledger/1', page)).to.equal('ledger/1');
    const names = [{}, { kind: 'a' }, { kind: 'a', to: 'b' }, { kind: 'a&to=b' }, { to: 'a' }].map((filters) =>
      listName('ledger/1', { ...page, ...filters }),
    );
    expect(new Set(names).size).to.equal(names.length);
    expect(listName('ledger/1', { ...{ to: 'b', kind: 'a' }, ...page })).to.equal(names[2]);
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
