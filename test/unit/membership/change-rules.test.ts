import { expect } from 'chai';
import fc from 'fast-check';
import { DEFAULT_RULES, MEMBER_STATUSES } from '../../../lib/contracts/membership.ts';
import { ROLES } from '../../../lib/contracts/permissions.ts';
import { mergeRules, planRoleChange, planRulesChange } from '../../../services/membership/proposals/change.rules.ts';

const ASSOCIATION = {
  contribution_amount_minor: 10_000n,
  max_members: 12,
  member_count: 5,
  rules: DEFAULT_RULES,
  rules_version: 3,
};

/** Any change of the rules, with any of its members absent. */
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
  it('leaves what it does not name as it is', () => {
    const { approvals, ...others } = DEFAULT_RULES;
    expect(mergeRules(DEFAULT_RULES, { shortfall: 'pay_collected', approvals: { distribution: 4 } })).to.deep.equal({
      ...others,
      shortfall: 'pay_collected',
      approvals: { ...approvals, distribution: 4 },
    });
    expect(mergeRules(DEFAULT_RULES, {})).to.deep.equal(DEFAULT_RULES);
  });

  it('makes the next version of them', () => {
    expect(planRulesChange(ASSOCIATION, { contribution_amount_minor: 7n, max_members: 5 })).to.deep.equal({
      agreed: { contribution_amount_minor: 7n, max_members: 5, rules: DEFAULT_RULES, rules_version: 4 },
    });
  });

  it('leaves room for the members there are', () => {
    expect(planRulesChange(ASSOCIATION, { max_members: 4 })).to.deep.equal({ refused: 'association_full' });
  });

  it('keeps every rule defined, takes all it is given, and says the same when made again', () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 5 }), (changes) => {
        let rules = DEFAULT_RULES;
        for (const each of changes) {
          const merged = mergeRules(rules, each);
          expect(Object.keys(merged).toSorted()).to.deep.equal(Object.keys(DEFAULT_RULES).toSorted());
          expect(Object.keys(merged.approvals).toSorted()).to.deep.equal(Object.keys(rules.approvals).toSorted());
          const { approvals = {}, ...others } = each;
          expect(merged).to.deep.include(others);
          expect(merged.approvals).to.include(approvals);
          expect(mergeRules(merged, each)).to.deep.equal(merged);
          rules = merged;
        }
      }),
    );
  });
});

describe('a role change', () => {
  const AWA = { id: 'a', role: 'member', status: 'active' } as const;
  const PRESIDENT = { id: 'p', role: 'president', status: 'active' } as const;
  const refused = (code: string) => ({ refused: code });
  for (const [what, status, target, role, plan] of [
    [
      'changes one role',
      'active',
      AWA,
      'treasurer',
      { changes: [{ member_id: 'a', from: 'member', to: 'treasurer' }] },
    ],
    [
      'makes the old president a member before there is a new one',
      'active',
      AWA,
      'president',
      {
        changes: [
          { member_id: 'p', from: 'president', to: 'member' },
          { member_id: 'a', from: 'member', to: 'president' },
        ],
      },
    ],
    ['changes nothing for the member who has the role already', 'active', PRESIDENT, 'president', { changes: [] }],
    ['leaves no association without a president', 'active', PRESIDENT, 'member', refused('president_cannot_leave')],
    ['is for members', 'active', undefined, 'secretary', refused('not_found')],
    ['is for active members', 'active', { ...AWA, status: 'left' }, 'secretary', refused('not_found')],
    ['fails in a closed association', 'closed', AWA, 'secretary', refused('association_closed')],
  ] as const) {
    it(what, () => {
      expect(planRoleChange(status, target, role, PRESIDENT)).to.deep.equal(plan);
    });
  }

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
