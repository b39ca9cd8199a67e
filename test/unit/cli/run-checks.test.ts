import { expect } from 'chai';
import type { Check, Page, Sources } from '../../../cli/verify/check.ts';
import { runChecks, type Progress } from '../../../cli/verify/run-checks.ts';

const NOTHING: Sources = {} as Sources;
const PAGES = 4;

describe('a run of checks', () => {
  let visited: string[];
  let progress: Progress;

  beforeEach(() => {
    visited = [];
    progress = { scanned: [], current: null };
  });

  /** Creates a check with pages 1 to 4 of 10 records each. */
  function checkOf(
    name: string,
    differencesAt: (page: number, look: number) => string[] = () => [],
    byId = false,
  ): Check {
    const looks = new Map<number, number>();
    return {
      name,
      compares: name,
      byId,
      page: (_sources, after): Promise<Page> => {
        const page = Number(after ?? 0) + 1;
        const look = (looks.get(page) ?? 0) + 1;
        looks.set(page, look);
        visited.push(`${name} ${String(page)}`);
        const differences = differencesAt(page, look).map((key) => ({ key, text: `${key}, look ${String(look)}` }));
        return Promise.resolve({ next: page < PAGES ? page : null, compared: 10, differences });
      },
    };
  }

  const run = (
    checks: Check[],
    save: () => void = () => undefined,
    signal?: AbortSignal,
    since_id: string | null = null,
  ) => runChecks(NOTHING, { checks, since_id, progress, save, recheck_after_ms: 1, signal });

  it('compares all pages, and reports only differences that remain', async () => {
    const passing = checkOf('passing', (page, look) => (page === 2 && look === 1 ? ['a'] : []));
    const lasting = checkOf('lasting', (page, look) => (page === 3 ? ['b', ...(look === 1 ? ['c'] : ['d'])] : []));
    const results = await run([passing, lasting]);
    expect(results).to.deep.equal([
      { check: 'passing', compared: 40, differences: 0, texts: [], isCut: false },
      { check: 'lasting', compared: 40, differences: 1, texts: ['b, look 2'], isCut: false },
    ]);
    expect(visited.slice(8)).to.deep.equal(['passing 2', 'lasting 3']);
  });

  it('continues after the last page of an interrupted run, also in another process', async () => {
    const stop = new AbortController();
    const checks = [checkOf('first', (page) => (page === 1 ? ['kept'] : [])), checkOf('second')];
    let pages = 0;
    const save = () => {
      pages += 1;
      if (pages === 6) stop.abort();
    };
    await run(checks, save, stop.signal).then(
      () => expect.fail('the run was not interrupted'),
      (error: Error) => expect(error.name).to.equal('AbortError'),
    );
    const before = visited.splice(0);
    progress = JSON.parse(JSON.stringify(progress)) as Progress;
    const results = await run(checks);
    expect([...before, ...visited.slice(0, -1)]).to.deep.equal([
      ...['first 1', 'first 2', 'first 3', 'first 4'],
      ...['second 1', 'second 2', 'second 3', 'second 4'],
    ]);
    expect(results.map(({ compared, differences }) => [compared, differences])).to.deep.equal([
      [40, 1],
      [40, 0],
    ]);
  });

  it('ends a check with a thousand differences, and says so', async () => {
    const many = Array.from({ length: 600 }, (_, index) => String(index));
    const [result] = await run([checkOf('many', (page) => many.map((key) => `${String(page)} ${key}`))]);
    expect(result).to.include({ compared: 20, differences: 1_200, isCut: true });
    expect(result?.texts).to.have.length(20);
  });

  it('begins checks by id at the given id, and others at the beginning', async () => {
    await run([checkOf('by id', undefined, true), checkOf('others')], undefined, undefined, '2');
    expect(visited[0]).to.equal('by id 3');
    expect(visited[2]).to.equal('others 1');
  });
});
