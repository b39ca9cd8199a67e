import { expect } from 'chai';
import fc from 'fast-check';
import { DEFAULT_RULES, MEMBER_STATUSES } from '../../../lib/contracts/membership.ts';
import { ROLES } from '../../../lib/contracts/permissions.ts';
import { mergeRules, planRoleChange } from '../../../services/membership/proposals/change.rules.ts';

/** A change of the rules in which any member may be absent. */
const change = fc.record(
  {
    shortfall: fc.constantFrom('block' as const, 'pay_collected' as const),
    beneficiaries_per_meeting: fc.integer({ min: 1, max: 10 }),
    approvals: fc.record(
      { cash_deposit: fc.integer({ min: 1, max: 10 }), motion: fc.integer({ min: 1, max: 10 }) },
      { requiredKeys: [] },
    ),
    approval_expires_in_hours: fc.integer({ min: 1, max: 2_160 }),
  },
  { requiredKeys: [] },
);

describe('a change of the rules', () => {
  it('replaces exactly the rules that it names, and has no further effect when it is repeated', () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 5 }), (changes) => {
        let rules = DEFAULT_RULES;
        for (const each of changes) {
          const merged = mergeRules(rules, each);
          expect(merged).to.deep.equal({
            ...rules,
            ...each,
            approvals: { ...rules.approvals, ...each.approvals },
          });
          expect(mergeRules(merged, each)).to.deep.equal(merged);
          rules = merged;
        }
      }),
    );
  });
});

describe('a role change', () => {
  it('changes nothing if the member already has the role', () => {
    const president = { id: 'p', role: 'president', status: 'active' } as const;
    expect(planRoleChange('active', president, 'president', president)).to.deep.equal({ changes: [] });
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
          const plan = planRoleChange('active', members[target], role, president!);
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
