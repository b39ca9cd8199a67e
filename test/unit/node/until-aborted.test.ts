import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { giveBackMemory } from '../../../lib/node/give-back-memory.ts';
import { untilAborted } from '../../../lib/node/until-aborted.ts';

describe('a wait until work is done or a signal is aborted', () => {
  const never = new Promise<string>(() => undefined);

  it('returns what the work returns, and throws what it throws', async () => {
    const { signal } = new AbortController();
    expect(await untilAborted(Promise.resolve('done'), signal)).to.equal('done');
    const failure = await untilAborted(Promise.reject(new Error('no answer')), signal).catch((error: unknown) => error);
    expect(failure).to.be.an('error').with.property('message', 'no answer');
  });

  it('returns undefined when the signal is aborted', async () => {
    const controller = new AbortController();
    const waiting = untilAborted(never, controller.signal);
    controller.abort();
    expect(await waiting).to.equal(undefined);
    expect(await untilAborted(never, controller.signal)).to.equal(undefined);
  });

  it('keeps nothing of the work while the signal lives: the relay kept 364 bytes of each turn', async () => {
    const controller = new AbortController();
    const waitFor = async (what: object) => {
      await untilAborted(Promise.resolve(what), controller.signal);
      return new WeakRef(what);
    };
    const results = await Promise.all(Array.from({ length: 100 }, () => waitFor({})));
    // A WeakRef keeps its object until the end of the turn in which it was made.
    await nextTurn();
    await giveBackMemory();
    expect(results.filter((result) => result.deref() !== undefined)).to.have.lengthOf(0);
    controller.abort();
  });
});
