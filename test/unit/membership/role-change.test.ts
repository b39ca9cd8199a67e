import { expect } from 'chai';
import fc from 'fast-check';
import { ROLES } from '../../../lib/contracts/permissions.ts';
import { MEMBER_STATUSES } from '../../../lib/contracts/membership.ts';
import { planRoleChange } from '../../../services/membership/domain/role-change.ts';

const PRESIDENT = { id: 'p', role: 'president', status: 'active' } as const;
const AWA = { id: 'a', role: 'member', status: 'active' } as const;

describe('a role change', () => {
  it('changes one role', () => {
    expect(planRoleChange('active', AWA, 'treasurer', PRESIDENT)).to.deep.equal({
      changes: [{ member_id: 'a', from: 'member', to: 'treasurer' }],
    });
  });

  it('makes the old president a member before there is a new one', () => {
    expect(planRoleChange('active', AWA, 'president', PRESIDENT)).to.deep.equal({
      changes: [
        { member_id: 'p', from: 'president', to: 'member' },
        { member_id: 'a', from: 'member', to: 'president' },
      ],
    });
  });

  it('changes nothing for who has the role already', () => {
    expect(planRoleChange('active', PRESIDENT, 'president', PRESIDENT)).to.deep.equal({ changes: [] });
  });

  it('leaves no association without a president', () => {
    expect(planRoleChange('active', PRESIDENT, 'member', PRESIDENT)).to.deep.equal({
      refused: 'president_cannot_leave',
    });
  });

  it('fails for who is not an active member, and in a closed association', () => {
    expect(planRoleChange('active', null, 'secretary', PRESIDENT)).to.deep.equal({ refused: 'not_found' });
    const left = { ...AWA, status: 'left' } as const;
    expect(planRoleChange('active', left, 'secretary', PRESIDENT)).to.deep.equal({ refused: 'not_found' });
    expect(planRoleChange('closed', AWA, 'secretary', PRESIDENT)).to.deep.equal({ refused: 'association_closed' });
  });

  it('keeps exactly one president through any sequence of changes', () => {
    const step = fc.record({ target: fc.nat({ max: 3 }), role: fc.constantFrom(...ROLES) });
    fc.assert(
      fc.property(fc.array(step), fc.constantFrom(...MEMBER_STATUSES), (steps, lastStatus) => {
        const members = ROLES.map((role, index) => ({
          id: String(index),
          role: role,
          status: index === 3 ? lastStatus : ('active' as const),
        }));
        for (const { target, role } of steps) {
          const president = members.find((each) => each.role === 'president');
          const plan = planRoleChange('active', members[target] ?? null, role, president!);
          for (const change of 'changes' in plan ? plan.changes : []) {
            const member = members.find((each) => each.id === change.member_id);
            expect(member!.role).to.equal(change.from);
            member!.role = change.to;
            expect(members.filter((each) => each.role === 'president').length).to.be.at.most(1);
          }
          expect(members.filter((each) => each.role === 'president')).to.have.length(1);
        }
      }),
    );
  });
});
