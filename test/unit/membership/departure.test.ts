import { expect } from 'chai';
import { departureRefusal } from '../../../services/membership/domain/departure.ts';

const AWA = { role: 'treasurer', status: 'active' } as const;

describe('leaving and expulsion', () => {
  it('is for any active member but the president', () => {
    expect(departureRefusal(AWA, false)).to.equal(null);
    expect(departureRefusal({ ...AWA, role: 'president' }, false)).to.equal('president_cannot_leave');
    expect(departureRefusal(null, false)).to.equal('not_found');
    expect(departureRefusal({ ...AWA, status: 'left' }, true)).to.equal('not_found');
    expect(departureRefusal({ ...AWA, status: 'expelled' }, false)).to.equal('not_found');
  });

  it('waits for the end of a cycle that binds them', () => {
    expect(departureRefusal(AWA, true)).to.equal('member_has_obligations');
  });
});
