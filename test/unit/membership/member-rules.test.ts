import { expect } from 'chai';
import fc from 'fast-check';
import { ASSOCIATION_STATUSES, MEMBER_STATUSES } from '../../../lib/contracts/membership.ts';
import { departureRefusal } from '../../../services/membership/endings/ending.rules.ts';
import { displayNameOf, joiningRefusal } from '../../../services/membership/members/member.rules.ts';

const OPEN = { is_public: true, status: 'active', member_count: 3, max_members: 5 } as const;
const FULL = { ...OPEN, member_count: 5 };
const CLOSED = { ...OPEN, status: 'closed' } as const;
const FULL_AND_CLOSED = { ...FULL, status: 'closed' } as const;
const PRIVATE = { ...OPEN, is_public: false };
const PRIVATE_AND_CLOSED = { ...PRIVATE, status: 'closed' } as const;

describe('joining an association', () => {
  for (const [entry, where, association, before, refusal] of [
    ['without an invitation', 'a public association', OPEN, undefined, null],
    ['without an invitation', 'a public association', OPEN, 'left', null],
    ['without an invitation', 'a public association', OPEN, 'expelled', 'not_found'],
    ['without an invitation', 'a private association', PRIVATE, undefined, 'not_found'],
    ['without an invitation', 'a private association', PRIVATE, 'left', 'not_found'],
    ['without an invitation', 'a private association', PRIVATE, 'active', 'already_member'],
    ['without an invitation', 'a private, closed association', PRIVATE_AND_CLOSED, undefined, 'not_found'],
    ['without an invitation', 'a full and closed association', FULL_AND_CLOSED, 'active', 'already_member'],
    ['without an invitation', 'a full and closed association', FULL_AND_CLOSED, undefined, 'association_closed'],
    ['by invitation', 'a private association', PRIVATE, undefined, null],
    ['by invitation', 'a private association', PRIVATE, 'left', null],
    ['by invitation', 'a public association', OPEN, 'expelled', null],
    ['by invitation', 'a closed association', CLOSED, undefined, 'association_closed'],
    ['by invitation', 'a full association', FULL, undefined, 'association_full'],
  ] as const) {
    it(`is ${refusal ?? 'allowed'} in ${where}, ${entry}, for a user who is ${before ?? 'new'}`, () => {
      const member = before === undefined ? undefined : { status: before };
      expect(joiningRefusal(entry === 'by invitation', association, member)).to.equal(refusal);
    });
  }

  it('is never allowed in a full or closed association, nor for an active member', () => {
    fc.assert(
      fc.property(
        fc.boolean(),
        fc.record({
          is_public: fc.boolean(),
          status: fc.constantFrom(...ASSOCIATION_STATUSES),
          member_count: fc.integer({ min: 1, max: 12 }),
          max_members: fc.integer({ min: 2, max: 12 }),
        }),
        fc.option(fc.record({ status: fc.constantFrom(...MEMBER_STATUSES) })),
        (isInvited, association, known) => {
          if (joiningRefusal(isInvited, association, known) !== null) return;
          expect(association.status).to.equal('active');
          expect(association.member_count).to.be.below(association.max_members);
          expect(known?.status).to.not.equal('active');
        },
      ),
    );
  });
});

describe('leaving and expulsion', () => {
  for (const [role, status, isBound, refusal] of [
    ['treasurer', 'active', false, null],
    ['treasurer', 'active', true, 'member_has_obligations'],
    ['president', 'active', false, 'president_cannot_leave'],
    ['treasurer', 'left', true, 'not_found'],
    ['treasurer', 'expelled', false, 'not_found'],
  ] as const) {
    it(`is ${refusal ?? 'allowed'} for the ${role} who is ${status}${isBound ? ' and bound by a cycle' : ''}`, () => {
      expect(departureRefusal({ role, status }, isBound)).to.equal(refusal);
    });
  }
});

describe('a display name from a token', () => {
  it('is the trimmed name, or null if there is no name', () => {
    expect(displayNameOf('  Awa Ndiaye ')).to.equal('Awa Ndiaye');
    expect(displayNameOf(null)).to.equal(null);
    expect(displayNameOf(' \u0000\n ')).to.equal(null);
  });

  it('always fits: at most 120 code points, all storable in PostgreSQL', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (name) => {
        const shown = displayNameOf(name);
        if (shown === null) return;
        expect(Array.from(shown).length).to.be.within(1, 120);
        expect(shown).to.equal(shown.trim());
        expect(shown.isWellFormed() && !shown.includes('\u0000')).to.equal(true);
      }),
    );
  });
});
