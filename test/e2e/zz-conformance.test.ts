import { expect } from 'chai';
import { unfollowedLocations, unreached } from '../harness/coverage.ts';

/** Runs last, because it checks what all other files have reached; it fails if it runs alone. */
describe('the end-to-end tests', () => {
  it('reach every documented status and error code of every operation', () => {
    const missing = unreached();
    expect(missing, missing.join('\n')).to.deep.equal([]);
  });

  it('follow every documented Location', () => {
    expect(unfollowedLocations()).to.deep.equal([]);
  });
});
