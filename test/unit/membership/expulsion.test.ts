import { expect } from 'chai';
import { expulsionRefusal } from '../../../services/membership/domain/expulsion.ts';

const AWA = { role: 'treasurer', status: 'active' } as const;

describe('an expulsion', () => {
  it('meets any active member but the president', () => {
    expect(expulsionRefusal(AWA, false)).to.equal(null);
    expect(expulsionRefusal({ ...AWA, role: 'president' }, false)).to.equal('president_cannot_leave');
    expect(expulsionRefusal(null, false)).to.equal('not_found');
    expect(expulsionRefusal({ ...AWA, status: 'left' }, true)).to.equal('not_found');
    expect(expulsionRefusal({ ...AWA, status: 'expelled' }, false)).to.equal('not_found');
  });

  it('waits for the end of a cycle that binds him', () => {
    expect(expulsionRefusal(AWA, true)).to.equal('member_has_obligations');
  });
});
