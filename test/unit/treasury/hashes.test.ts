import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { expect } from 'chai';
import fc from 'fast-check';
import type { TransferRecord } from '../../../lib/contracts/treasury.ts';
import { canonicalHash } from '../../../lib/canonical/canonical-hash.ts';
import { GENESIS_HASH, hashOf } from '../../../services/treasury/ledger/chain.rules.ts';
import { fingerprintOf, type Posting } from '../../../services/treasury/ledger/posting.rules.ts';
import { firstBreak } from '../../harness/chain.ts';

const transfer = {
  id: '01890a5d-ac96-774b-bcce-b302099a8057',
  seq: 1,
  association_id: null,
  kind: 'wallet_deposit' as const,
  legs: [
    { account: 'funding', amount_minor: -1050 },
    { account: 'wallet:w', amount_minor: 1050 },
  ],
  currency: 'EUR',
  reference: 'é "quoted"\n',
  posted_at: '2026-01-31T12:00:00.000Z',
  prev_hash: GENESIS_HASH,
};

describe('ledger: the hash chain', () => {
  it('is SHA-256 of the RFC 8785 form, which is written here by hand', () => {
    const canonical =
      '{"association_id":null,"currency":"EUR","id":"01890a5d-ac96-774b-bcce-b302099a8057","kind":"wallet_deposit",' +
      '"legs":[{"account":"funding","amount_minor":-1050},{"account":"wallet:w","amount_minor":1050}],' +
      `"posted_at":"2026-01-31T12:00:00.000Z","prev_hash":"${'0'.repeat(64)}",` +
      '"reference":"é \\"quoted\\"\\n","seq":1}';
    expect(hashOf(transfer)).to.equal(createHash('sha256').update(canonical, 'utf8').digest('hex'));
  });

  it('covers the metadata of a transfer that has some, whatever the order of its members', () => {
    const canonical =
      '{"association_id":null,"currency":"EUR","id":"01890a5d-ac96-774b-bcce-b302099a8057","kind":"wallet_deposit",' +
      '"legs":[{"account":"funding","amount_minor":-1050},{"account":"wallet:w","amount_minor":1050}],' +
      '"metadata":{"10":"ten","9":"","é":"\\n"},' +
      `"posted_at":"2026-01-31T12:00:00.000Z","prev_hash":"${'0'.repeat(64)}",` +
      '"reference":"é \\"quoted\\"\\n","seq":1}';
    const hashed = createHash('sha256').update(canonical, 'utf8').digest('hex');
    expect(hashOf({ ...transfer, metadata: { é: '\n', 9: '', 10: 'ten' } })).to.equal(hashed);
    expect(hashOf({ ...transfer, metadata: { 10: 'ten', 9: '', é: '\n' } })).to.equal(hashed);
    expect(hashOf({ ...transfer, metadata: {} })).to.equal(hashOf(transfer));
  });

  it('covers only the members of a transfer, not other members of the object', () => {
    expect(hashOf({ ...transfer, member_id: 'x', hash: 'y' } as TransferRecord)).to.equal(hashOf(transfer));
  });

  const sealed = (given: Partial<TransferRecord> = {}): TransferRecord => {
    const unsealed = { ...transfer, ...given };
    return { ...unsealed, hash: hashOf(unsealed) };
  };

  it('begins after 64 zeros', () => {
    expect(firstBreak([sealed()])).to.equal(undefined);
    expect(firstBreak([sealed({ prev_hash: '1'.repeat(64) })])?.seq).to.equal(1);
    expect(firstBreak([sealed({ seq: 2 })])?.seq).to.equal(2);
  });

  it('reveals any changed, missing or moved transfer', () => {
    const first = sealed();
    const second = sealed({ seq: 2, prev_hash: first.hash });
    const third = sealed({ seq: 3, prev_hash: second.hash });
    expect(firstBreak([first, second, third])).to.equal(undefined);
    expect(firstBreak([first, third])).to.equal(third);
    expect(firstBreak([second, first, third])).to.equal(second);
    const change = fc.constantFrom<Partial<TransferRecord>>(
      { reference: null },
      { currency: 'XAF' },
      { kind: 'contribution' },
      { legs: [] },
      { posted_at: '2026-01-31T12:00:00.001Z' },
      { association_id: transfer.id },
      { metadata: { receipt: '2026-117' } },
    );
    fc.assert(
      fc.property(change, fc.integer({ min: 0, max: 2 }), (forged, at) => {
        const chain = [first, second, third].map((each, index) => (index === at ? { ...each, ...forged } : each));
        expect(firstBreak(chain)).to.equal(chain[at]);
      }),
    );
  });
});

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
    fc.record({ split: fc.record({ amount_minor: amount, from: funds, to: funds }) }),
  ),
  savings: fc.option(fc.record({ emoney_minor: amount, cash_minor: amount }), { nil: undefined }),
  payer_user_id: fc.option(text),
  member_id: fc.option(text),
});
const names = text.filter((name) => name !== '__proto__');
const metadata = fc.dictionary(names, text, { minKeys: 1, noNullPrototype: true });

describe('ledger: the fingerprint of a posting', () => {
  it('is SHA-256 of its RFC 8785 form, as stored in the database since the first release', () => {
    fc.assert(
      fc.property(posting, (asked) => {
        // The first release called a split `draw`.
        const movement = 'split' in asked.movement ? { draw: asked.movement.split } : asked.movement;
        const counted = { ...asked, movement, id: undefined, member_id: undefined };
        expect(fingerprintOf(asked)).to.equal(canonicalHash(counted));
      }),
    );
  });

  it('distinguishes metadata, whatever the order of its members', () => {
    fc.assert(
      fc.property(posting, metadata, metadata, (asked, one, other) => {
        const of = (given: Record<string, string>) => fingerprintOf({ ...asked, metadata: given });
        const reversed = Object.fromEntries(Object.entries(one).toReversed());
        expect(of(reversed)).to.equal(of(one));
        expect(of(one) === of(other)).to.equal(isDeepStrictEqual(one, other));
        expect(of(one)).to.not.equal(fingerprintOf(asked));
      }),
    );
  });
});
