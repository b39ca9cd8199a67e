import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { limitCalls } from '../../../services/gateway/http/calls-in-flight.ts';

const MAX = 20;

describe('the limit of calls in flight', () => {
  /** Each request comes in a callback of its own, as from a connection, and makes a call that is not answered. */
  async function arrive(requests: number) {
    const calls = limitCalls(MAX);
    const seen = { begun: 0, refused: 0 };
    const begin = () => {
      seen.begun += 1;
      void calls.count(() => new Promise(() => undefined));
    };
    const refuse = () => (seen.refused += 1);
    const more = async (count: number) => {
      for (let request = 0; request < count; request += 1) {
        void calls.admit().then(begin, refuse);
        await promisesAreSettled();
      }
    };
    await more(requests);
    return { seen, more };
  }

  const promisesAreSettled = () => new Promise<void>((resolve) => process.nextTick(queueMicrotask, resolve));

  it('refuses at once what exceeds the maximum, and begins all others in the end', async () => {
    const { seen } = await arrive(3 * MAX);
    expect(seen.refused).to.equal(2 * MAX);
    for (let turn = 0; turn < MAX; turn += 1) await nextTurn();
    expect(seen).to.deep.equal({ begun: MAX, refused: 2 * MAX });
  });

  it('begins as many as arrive up to half of the maximum, then two in each turn of the event loop', async () => {
    const { seen, more } = await arrive(MAX / 2);
    expect(seen.begun).to.equal(MAX / 2);
    await more(MAX / 2);
    const counts: number[] = [];
    for (let turn = 0; turn < 4; turn += 1) {
      counts.push(seen.begun);
      await nextTurn();
      await promisesAreSettled();
    }
    expect(counts).to.deep.equal([12, 14, 16, 18]);
  });
});
