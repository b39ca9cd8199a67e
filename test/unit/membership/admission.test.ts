import { expect } from 'chai';
import fc from 'fast-check';
import { ASSOCIATION_STATUSES, MEMBER_STATUSES } from '../../../lib/contracts/membership.ts';
import { admit } from '../../../services/membership/members/member.rules.ts';
import type { MemberRecord } from '../../../services/membership/members/member.table.ts';

const OPEN = { is_public: true, status: 'active', member_count: 3, max_members: 5 } as const;
const FULL = { ...OPEN, member_count: 5 };
const CLOSED = { ...OPEN, status: 'closed' } as const;
const PRIVATE = { ...OPEN, is_public: false };
const member = (status: MemberRecord['status']) => ({ status });

describe('joining an association', () => {
  it('is open to a stranger of a public one, and to whom an invitation lets into a private one', () => {
    expect(admit('public', OPEN, null)).to.deep.equal({ as: 'new' });
    expect(admit('invitation', PRIVATE, null)).to.deep.equal({ as: 'new' });
  });

  it('brings back a former member', () => {
    expect(admit('public', OPEN, member('left'))).to.deep.equal({ as: 'rejoining' });
    expect(admit('invitation', PRIVATE, member('left'))).to.deep.equal({ as: 'rejoining' });
  });

  it('brings back an expelled member by invitation only', () => {
    expect(admit('public', OPEN, member('expelled'))).to.deep.equal({ refused: 'not_found' });
    expect(admit('invitation', OPEN, member('expelled'))).to.deep.equal({ as: 'rejoining' });
  });

  it('does not tell a stranger that a private one exists', () => {
    expect(admit('public', PRIVATE, null)).to.deep.equal({ refused: 'not_found' });
    expect(admit('public', { ...PRIVATE, status: 'closed' }, null)).to.deep.equal({ refused: 'not_found' });
    expect(admit('public', PRIVATE, member('left'))).to.deep.equal({ refused: 'not_found' });
  });

  it('says already_member before association_closed before association_full', () => {
    const fullAndClosed = { ...FULL, status: 'closed' } as const;
    expect(admit('public', fullAndClosed, member('active'))).to.deep.equal({ refused: 'already_member' });
    expect(admit('public', fullAndClosed, null)).to.deep.equal({ refused: 'association_closed' });
    expect(admit('invitation', CLOSED, null)).to.deep.equal({ refused: 'association_closed' });
    expect(admit('invitation', FULL, null)).to.deep.equal({ refused: 'association_full' });
    expect(admit('public', PRIVATE, member('active'))).to.deep.equal({ refused: 'already_member' });
  });

  it('never admits into a full or closed one, nor whoever is in', () => {
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
          const admission = admit(door, association, known);
          if ('refused' in admission) return;
          expect(association.status).to.equal('active');
          expect(association.member_count).to.be.below(association.max_members);
          expect(known?.status).to.not.equal('active');
          expect(admission.as).to.equal(known === null ? 'new' : 'rejoining');
        },
      ),
    );
  });
});
