import { expect } from 'chai';
import { fuzzCluster } from './fuzz/harmless.ts';

/** `node test/abuse/fuzz.ts` sends more. */
const REQUESTS = 3_000;

describe('bad requests by seed', function () {
  this.timeout(120_000);

  it('are refused with 4xx and a problem, and keep no row, connection or memory', async () => {
    const { faults, statuses } = await fuzzCluster({ seed: 1, requests: REQUESTS, waitsForSlow: false });
    expect(faults, faults.join('\n')).to.deep.equal([]);
    // All kinds of refusals were reached.
    expect(statuses).to.include.keys('400', '403', '404', '413', '415', '417', '422', '431');
  });
});
