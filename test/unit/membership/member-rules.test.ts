import { expect } from 'chai';
import fc from 'fast-check';
import { ASSOCIATION_STATUSES, MEMBER_STATUSES } from '../../../lib/contracts/membership.ts';
import { departureRefusal, displayNameOf, joiningRefusal } from '../../../services/membership/members/member.rules.ts';

const OPEN = { is_public: true, status: 'active', member_count: 3, max_members: 5 } as const;
const FULL = { ...OPEN, member_count: 5 };
const CLOSED = { ...OPEN, status: 'closed' } as const;
const FULL_AND_CLOSED = { ...FULL, status: 'closed' } as const;
const PRIVATE = { ...OPEN, is_public: false };
const PRIVATE_AND_CLOSED = { ...PRIVATE, status: 'closed' } as const;

describe('joining an association', () => {
  for (const [door, where, association, before, refusal] of [
    ['public', 'a public one', OPEN, undefined, null],
    ['public', 'a public one', OPEN, 'left', null],
    ['public', 'a public one', OPEN, 'expelled', 'not_found'],
    ['public', 'a private one', PRIVATE, undefined, 'not_found'],
    ['public', 'a private one', PRIVATE, 'left', 'not_found'],
    ['public', 'a private one', PRIVATE, 'active', 'already_member'],
    ['public', 'a private, closed one', PRIVATE_AND_CLOSED, undefined, 'not_found'],
    ['public', 'a full and closed one', FULL_AND_CLOSED, 'active', 'already_member'],
    ['public', 'a full and closed one', FULL_AND_CLOSED, undefined, 'association_closed'],
    ['invitation', 'a private one', PRIVATE, undefined, null],
    ['invitation', 'a private one', PRIVATE, 'left', null],
    ['invitation', 'a public one', OPEN, 'expelled', null],
    ['invitation', 'a closed one', CLOSED, undefined, 'association_closed'],
    ['invitation', 'a full one', FULL, undefined, 'association_full'],
  ] as const) {
    it(`is ${refusal ?? 'allowed'} in ${where} by ${door}, for a user who is ${before ?? 'new'}`, () => {
      const member = before === undefined ? undefined : { status: before };
      expect(joiningRefusal(door, association, member)).to.equal(refusal);
    });
  }

  it('is never allowed in a full or closed one, nor to an active member', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('public' as const, 'invitation' as const),
        fc.record({
          is_public: fc.boolean(),
          status: fc.constantFrom(...ASSOCIATION_STATUSES),
          member_count: fc.integer({ min: 1, max: 12 }),
          max_members: fc.integer({ min: 2, max: 12 }),
        }),
        fc.option(fc.record({ status: fc.constantFrom(...MEMBER_STATUSES) })),
        (door, association, known) => {
          if (joiningRefusal(door, association, known) !== null) return;
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
  it('is the name, trimmed; null where there is none', () => {
    expect(displayNameOf('  Awa Ndiaye ')).to.equal('Awa Ndiaye');
    expect(displayNameOf(null)).to.equal(null);
    expect(displayNameOf(' \u0000\n ')).to.equal(null);
  });

  it('always fits a member: at most 120 code points, none of which PostgreSQL cannot hold', () => {
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
