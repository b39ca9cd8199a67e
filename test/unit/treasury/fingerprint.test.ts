import { expect } from 'chai';
import fc from 'fast-check';
import { canonicalHash } from '../../../lib/canonical/canonical-hash.ts';
import { fingerprintOf } from '../../../services/treasury/ledger/posting.rules.ts';
import type { Posting } from '../../../services/treasury/ledger/posting.rules.ts';

const text = fc.string({ unit: 'grapheme' });
const amount = fc.maxSafeInteger();
const legs = fc.array(fc.record({ account: text, amount_minor: amount }), { minLength: 2 });
const funds = fc.record({ emoney: text, cash: text });
const posting: fc.Arbitrary<Posting> = fc.record({
  id: text,
  chain_id: text,
  association_id: fc.option(text),
  kind: fc.constantFrom('settlement' as const, 'distribution_payment' as const),
  currency: text,
  reference: fc.option(text),
  movement: fc.oneof(
    fc.record({ legs }),
    fc.record({ draw: fc.record({ amount_minor: amount, from: funds, to: funds }) }),
  ),
  savings: fc.option(fc.record({ emoney_minor: amount, cash_minor: amount }), { nil: undefined }),
  payer_user_id: fc.option(text),
  member_id: fc.option(text),
});

describe('ledger: the fingerprint of what was asked', () => {
  it('is SHA-256 of its RFC 8785 form, in which the database has kept it from the first release on', () => {
    fc.assert(
      fc.property(posting, (asked) => {
        const counted = { ...asked, id: undefined, member_id: undefined };
        expect(fingerprintOf(asked)).to.equal(canonicalHash(counted));
      }),
    );
  });
});
