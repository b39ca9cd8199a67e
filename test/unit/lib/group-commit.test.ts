import { expect } from 'chai';
import { BATCH_MAX_ITEMS, groupCommit } from '../../../lib/db/group-commit.ts';
import { outcomeOf } from '../../harness/refusal.ts';

/** Batches that end when the test says so. */
class Batches<Item> {
  readonly sent: Item[][] = [];
  readonly #ends: ((error?: Error) => void)[] = [];

  run = (items: Item[]): Promise<Item[]> => {
    this.sent.push(items);
    return new Promise((resolve, reject) => this.#ends.push((error) => (error ? reject(error) : resolve(items))));
  };

  async end(error?: Error): Promise<void> {
    this.#ends.shift()?.(error);
    await turn();
    await turn();
  }
}

const turn = () => new Promise(setImmediate);

describe('group commit', () => {
  it('sends the items of one turn of the event loop together, and returns to each caller its own result', async () => {
    const one = groupCommit('items', (items: number[]) => Promise.resolve(items.map((item) => item * 10)));
    expect(await Promise.all([one(1), one(2), one(3)])).to.deep.equal([10, 20, 30]);
  });

  it('collects items while a batch is being written, up to the size of a batch', async () => {
    const batches = new Batches<number>();
    const one = groupCommit('items', batches.run);
    const first = one(1);
    await turn();
    const numbers = Array.from({ length: BATCH_MAX_ITEMS + 1 }, (_, index) => index);
    const others = numbers.map(one);
    await turn();
    expect(batches.sent).to.deep.equal([[1]]);
    await batches.end();
    await batches.end();
    await batches.end();
    expect(await Promise.all([first, ...others])).to.deep.equal([1, ...numbers]);
    expect(batches.sent).to.deep.equal([[1], numbers.slice(0, BATCH_MAX_ITEMS), [BATCH_MAX_ITEMS]]);
  });

  it('never puts two items with the same key into one batch, and keeps their order', async () => {
    const batches = new Batches<string>();
    const one = groupCommit('items', batches.run, { keyOf: (item) => item[0] ?? '' });
    const all = ['a1', 'a2', 'b1', 'a3'].map(one);
    await turn();
    await batches.end();
    await batches.end();
    await batches.end();
    expect(await Promise.all(all)).to.deep.equal(['a1', 'a2', 'b1', 'a3']);
    expect(batches.sent).to.deep.equal([['a1', 'b1'], ['a2'], ['a3']]);
  });

  it('writes the other items of a batch if the database refuses one item', async () => {
    const refused = Object.assign(new Error('no text'), { code: '22021' });
    const run = (items: number[]) => (items.includes(2) ? Promise.reject(refused) : Promise.resolve(items));
    const outcomes = await Promise.all([1, 2, 3].map(groupCommit('items', run)).map(outcomeOf));
    expect(outcomes).to.deep.equal(['done', '22021', 'done']);
  });

  it('runs the items of a batch separately after a lock timeout, without delaying later items', async () => {
    const locked = Object.assign(new Error('lock timeout'), { code: '55P03' });
    const batches = new Batches<number>();
    let end: (() => void) | undefined;
    const one = groupCommit('items', batches.run, {
      runOne: (item) => (item === 1 ? new Promise((resolve) => (end = () => resolve(-1))) : Promise.resolve(-item)),
    });
    const first = one(1);
    const second = one(2);
    await turn();
    await batches.end(locked);
    expect(await second).to.equal(-2);
    const third = one(3);
    await turn();
    await batches.end();
    expect(await third).to.equal(3);
    end?.();
    expect(await first).to.equal(-1);
  });

  it('repeats no item after a fault with an unknown outcome', async () => {
    const batches = new Batches<number>();
    const one = groupCommit('items', batches.run);
    const all = Promise.all([1, 2].map(one).map(outcomeOf));
    await turn();
    await batches.end(new Error('Connection terminated'));
    expect(await all).to.deep.equal(['Connection terminated', 'Connection terminated']);
    expect(batches.sent).to.deep.equal([[1, 2]]);
    const next = one(3);
    await turn();
    await batches.end();
    expect(await next).to.equal(3);
  });
});
