import { EventEmitter } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { limitCalls, type RequestKind } from '../../../services/gateway/http/calls-in-flight.ts';

const MAX = 20;
const WRITES_MAX = 16;
const STALL_MS = 500;
const PERIOD_MS = 100;

describe('the limit of calls in flight', () => {
  let now_ms = 1_000;

  /** Each request comes in a callback of its own, as from a connection, and makes a call that waits for answer(). */
  async function arrive(requests: number, kind: RequestKind = 'read') {
    const calls = limitCalls(MAX, () => now_ms);
    const seen = { begun: 0, refused: 0 };
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
    const begin = (of: RequestKind) => () => {
      seen.begun += 1;
      void calls.count(of, () => answered);
    };
    const refuse = () => (seen.refused += 1);
    const more = async (count: number, of: RequestKind = 'read') => {
      for (let request = 0; request < count; request += 1) {
        void calls.admit(of).then(begin(of), refuse);
        await promisesAreSettled();
      }
    };
    await more(requests, kind);
    return { seen, answer, more };
  }

  const promisesAreSettled = () => new Promise<void>((resolve) => process.nextTick(queueMicrotask, resolve));

  it('refuses at once what exceeds the maximum, and begins all others in the end', async () => {
    const { seen } = await arrive(3 * MAX);
    expect(seen.refused).to.equal(2 * MAX);
    for (let turn = 0; turn < MAX; turn += 1) await nextTurn();
    expect(seen).to.deep.equal({ begun: MAX, refused: 2 * MAX });
  });

  it('begins as many as arrive while it refuses none', async () => {
    const { seen } = await arrive(MAX);
    expect(seen).to.deep.equal({ begun: MAX, refused: 0 });
  });

  it('leaves a fifth to reads while writes wait', async () => {
    const { seen, answer, more } = await arrive(MAX, 'write');
    expect(seen).to.deep.equal({ begun: WRITES_MAX, refused: 4 });
    await more(5, 'read');
    expect(seen).to.deep.equal({ begun: MAX, refused: 5 });
    answer();
    await promisesAreSettled();
    now_ms += 2 * PERIOD_MS;
    await more(1, 'write');
    expect(seen).to.deep.equal({ begun: MAX + 1, refused: 5 });
  });

  it('leaves a fifth to reads also while most writes are refused and begin in later turns', async () => {
    const { seen, answer, more } = await arrive(3 * MAX, 'write');
    answer();
    await promisesAreSettled();
    now_ms += PERIOD_MS;
    await more(MAX, 'write');
    const { refused } = seen;
    // Two have begun at once and are answered.
    expect(refused).to.equal(3 * MAX - WRITES_MAX + 2);
    await more(4, 'read');
    expect(seen.refused).to.equal(refused);
  });

  describe('in a stall, in which no write succeeds', () => {
    function openCalls() {
      const calls = limitCalls(MAX, () => now_ms);
      const open: Record<RequestKind, PromiseWithResolvers<void>[]> = { read: [], write: [] };
      return {
        /** @returns how many are accepted */
        begin: (kind: RequestKind, requests: number) => {
          const before = open[kind].length;
          for (let request = 0; request < requests; request += 1) {
            try {
              calls.check(kind);
            } catch {
              continue;
            }
            const answer = Promise.withResolvers<void>();
            open[kind].push(answer);
            calls.count(kind, () => answer.promise).catch(() => undefined);
          }
          return open[kind].length - before;
        },
        /** Answers the first ones. */
        end: async (kind: RequestKind, count: number, how: 'resolve' | 'reject' = 'resolve') => {
          for (const answer of open[kind].splice(0, count)) answer[how]();
          await promisesAreSettled();
        },
      };
    }

    it('accepts four times as many writes, and as many reads as before', async () => {
      const { begin, end } = openCalls();
      expect(begin('write', 5 * MAX)).to.equal(WRITES_MAX);
      now_ms += STALL_MS;
      expect(begin('write', 1), 'not yet').to.equal(0);
      now_ms += 1;
      expect(begin('read', 1)).to.equal(1);
      await end('read', 1);
      await end('write', 1, 'reject');
      expect(begin('write', 5 * MAX)).to.equal(3 * WRITES_MAX + 1);
      expect(begin('read', 5 * MAX)).to.equal(MAX - WRITES_MAX);
    });

    it('and after it accepts as many writes as it answers, while those that waited longer are not done', async () => {
      const { begin, end } = openCalls();
      begin('write', WRITES_MAX);
      now_ms += STALL_MS + 1;
      begin('write', 3 * WRITES_MAX);
      await end('write', 1);
      expect(begin('write', 5 * MAX)).to.equal(1);
      await end('write', WRITES_MAX - 1);
      expect(begin('write', 5 * MAX)).to.equal(WRITES_MAX - 1);
      await end('write', 3 * WRITES_MAX);
      expect(begin('write', 5 * MAX), 'those of the stall have had no part').to.equal(0);
    });
  });

  it('begins two in each turn of the event loop after a period in which most were refused', async () => {
    const { seen, answer, more } = await arrive(3 * MAX);
    answer();
    await promisesAreSettled();
    now_ms += PERIOD_MS;
    await more(MAX - 1);
    const counts: number[] = [];
    for (let turn = 0; turn < 3; turn += 1) {
      counts.push(seen.begun - MAX);
      await nextTurn();
      await promisesAreSettled();
    }
    expect(counts).to.deep.equal([2, 4, 6]);
  });

  for (const [what, before, passed_ms] of [
    ['after a period in which fewer were refused', MAX + 1, PERIOD_MS],
    ['if none came in the last period', 3 * MAX, 2 * PERIOD_MS],
  ] as const) {
    it(`begins as many as arrive ${what}`, async () => {
      const { seen, answer, more } = await arrive(before);
      answer();
      await promisesAreSettled();
      now_ms += passed_ms;
      await more(MAX);
      expect(seen).to.deep.equal({ begun: 2 * MAX, refused: before - MAX });
    });
  }

  it('refuses while clients have not read 64 MiB of answers', () => {
    const calls = limitCalls(MAX);
    const answers = Array.from({ length: 4 }, () => Object.assign(new EventEmitter(), { destroyed: false }));
    // No more is held for a client that is gone.
    for (const answer of [...answers.map(() => Object.assign(new EventEmitter(), { destroyed: true })), ...answers]) {
      calls.check('read');
      calls.holdUntilSent(answer, 16 * 1024 * 1024);
    }
    expect(() => calls.check('read'))
      .to.throw()
      .that.includes({ type: 'overloaded' });
    answers[0]?.emit('close');
    calls.check('read');
  });
});
