import { expect } from 'chai';
import fc from 'fast-check';
import { DEFAULT_RULES } from '../../../lib/contracts/membership.ts';
import type { RulesChange } from '../../../lib/contracts/membership.ts';
import { mergeRules, planRulesChange } from '../../../services/membership/proposals/change.rules.ts';

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
    // As it comes from validation, which the type rules out: absent members as undefined.
    const absent = { shortfall: undefined, approvals: { motion: undefined } } as unknown as RulesChange;
    expect(mergeRules(DEFAULT_RULES, absent)).to.deep.equal(DEFAULT_RULES);
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
