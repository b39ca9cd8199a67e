import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { storeWhenUnlocked } from '../../../lib/locks/locks.ts';
import type { Pool } from '../../../lib/db/db.ts';
import { outcomeOf } from '../../harness/refusal.ts';

describe('a request that meets a lock', () => {
  /** Returns the outcome and the number of checks. A check takes 100 ms; check number `lifted` finds no lock. */
  async function looks(wait_ms: number, lifted = Infinity): Promise<[code: unknown, looks: number]> {
    let looked = 0;
    const transaction = async (work: (manager: never) => Promise<unknown>) => {
      await sleep(50);
      return work(undefined as never);
    };
    const gate = { isLocked: () => Promise.resolve(++looked < lifted), checkStillAllowed: () => sleep(50), wait_ms };
    const stored = storeWhenUnlocked({ transaction } as unknown as Pool, gate, () => Promise.resolve('stored'));
    return [await outcomeOf(stored), looked];
  }

  it('is refused after its maximum wait, which is measured in time and not in checks', async () => {
    const [code, looked] = await looks(200, 4);
    expect(code).to.equal('service_unavailable');
    expect(looked).to.be.most(3);
  });

  it('is stored once the lock is released', async () => {
    expect(await looks(60_000, 3)).to.deep.equal(['done', 3]);
  });
});
