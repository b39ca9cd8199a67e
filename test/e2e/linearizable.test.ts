import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { checkHistory, describeFaults, type Result } from '../faults/history/check-history.ts';
import { writeHistory, type Exchange } from '../faults/history/exchange.ts';
import { createRandom } from '../harness/random.ts';
import { sharedCluster } from '../harness/cluster.ts';
import { act } from './linearizable/acts.ts';
import { closeScene, setScene } from './linearizable/scene.ts';

/** It differs in each run; a failure prints it. */
const SEED = Number(process.env['LINEARIZABLE_SEED'] ?? Date.now() % 2 ** 31);
/** How long people use the association. */
const WORK_MS = Number(process.env['LINEARIZABLE_MS'] ?? 4_000);
/** How many requests are in flight at the same time. */
const AT_ONCE = 8;
const TIMEOUT_MS = 60_000 + WORK_MS;

/** Writes the history to a file. @returns the command that checks it again */
function keep(history: readonly Exchange[]): string {
  const folder = join('.cache', 'histories');
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${String(SEED)}.ndjson`);
  writeHistory(file, history);
  return `node test/faults/history/check.ts ${file}`;
}

describe('the history of each object', function () {
  this.timeout(TIMEOUT_MS);

  it('is linearizable while several people use one association, also if answers are lost', async () => {
    const scene = await setScene(await sharedCluster());
    const random = createRandom(SEED);
    const end_ms = performance.now() + WORK_MS;
    const work = async () => {
      const own = random.fork();
      while (performance.now() < end_ms) await act(scene, own);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    await closeScene(scene);

    const history = scene.recorder.history();
    const results = checkHistory(history);
    const faults = describeFaults(results);
    if (faults !== '') expect.fail(`seed ${String(SEED)}, ${keep(history)}\n${faults}`);
    expectEachKind(results, history);
  });
});

/** Otherwise the history would say nothing about some of the objects. */
function expectEachKind(results: readonly Result[], history: readonly Exchange[]): void {
  const kinds = new Set(results.map(({ object }) => object.split(' ')[0]));
  expect([...kinds].toSorted()).to.deep.equal(['approval', 'due', 'meeting', 'transfers', 'wallet']);
  expect(history.length).to.be.above(50);
}
