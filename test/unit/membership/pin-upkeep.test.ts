import { expect } from 'chai';
import { KEY_LIFE_MS } from '../../../lib/pin/key-set.ts';
import { maintainPins, requireSamePepper } from '../../../services/membership/pins/pin-upkeep.ts';

const NOW = new Date('2026-03-01T12:00:00.000Z');
const DAY_MS = 86_400_000;

/** Returns the warnings of a production service whose newest key expires in this time. */
async function warnings(left_ms: number): Promise<string[]> {
  const exp = (NOW.getTime() + left_ms) / 1_000;
  // Only the parts that the maintenance uses.
  const ring = { keys: () => Promise.resolve([{ kid: 'k', created: exp - KEY_LIFE_MS / 1_000, exp }]) };
  const runtime = { settings: { production: true }, resources: { secrets: {} }, systemClock: () => NOW };
  const db = { run: () => Promise.resolve(0) };
  const said: string[] = [];
  await maintainPins({ runtime, db, ring } as never, { info: () => undefined, warn: (message) => said.push(message) });
  return said;
}

describe('the PIN keys of production', () => {
  it('are rotated by the operator, who is warned two weeks before the newest key expires', async () => {
    expect(await warnings(15 * DAY_MS)).to.deep.equal([]);
    for (const left_ms of [13 * DAY_MS, -DAY_MS]) {
      const [warning, ...more] = await warnings(left_ms);
      expect(warning).to.contain('npm run rotate-pin-key');
      expect(more).to.deep.equal([]);
    }
  });
});

describe('the pepper of a database', () => {
  it('is checked at the start, which releases its resources if the database fails', async () => {
    let stopped = 0;
    const runtime = { resources: { secrets: { pinPepper: 'own' } } };
    const db = { run: () => Promise.reject(new Error('the connection broke off')) };
    const stop = () => Promise.resolve(void (stopped += 1));
    // Only the parts that the check uses.
    const error: unknown = await requireSamePepper({ runtime, db, stop } as never).catch((thrown: unknown) => thrown);
    expect([(error as Error).message, stopped]).to.deep.equal(['the connection broke off', 1]);
  });
});
