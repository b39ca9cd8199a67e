import { expect } from 'chai';
import { unfollowedLocations, unreached } from '../harness/coverage.ts';

/** Comes last, so that it sees what all the others have reached; alone it fails. */
describe('the end-to-end tests', () => {
  it('reach every operation with every status and error code that is documented for it', () => {
    const missing = unreached();
    expect(missing, missing.join('\n')).to.deep.equal([]);
  });

  it('ask for every Location that is documented', () => {
    expect(unfollowedLocations()).to.deep.equal([]);
  });
});
