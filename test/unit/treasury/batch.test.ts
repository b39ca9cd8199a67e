import { expect } from 'chai';
import {
  BATCH_MAX_CHAINS,
  BATCH_MAX_LEGS,
  BATCH_MAX_POSTINGS,
  batchSize,
  HALF_MIN_POSTINGS,
} from '../../../services/treasury/ledger/batch.rules.ts';
import type { Posting } from '../../../services/treasury/ledger/posting.rules.ts';
import { postingOf } from '../../harness/ledger.ts';

const posting = (chain_id: string, count = 2): { posting: Posting } => {
  const legs = Array.from({ length: count }, () => ({ account: 'treasury', amount_minor: 1 }));
  return { posting: postingOf(chain_id, { movement: { legs } }) };
};

const many = (count: number) => Array.from({ length: count }, () => posting('one'));

describe('ledger: the size of a batch', () => {
  it('is all waiting postings if they are few or another batch is being written', () => {
    expect(batchSize([], false)).to.equal(0);
    expect(batchSize(many(1), false)).to.equal(1);
    expect(batchSize(many(2 * HALF_MIN_POSTINGS - 1), false)).to.equal(2 * HALF_MIN_POSTINGS - 1);
    expect(batchSize(many(2 * HALF_MIN_POSTINGS), true)).to.equal(2 * HALF_MIN_POSTINGS);
  });

  it('is half of many waiting postings, so that the other half is decided while the first is written', () => {
    expect(batchSize(many(2 * HALF_MIN_POSTINGS), false)).to.equal(HALF_MIN_POSTINGS);
    expect(batchSize(many(2 * HALF_MIN_POSTINGS + 1), false)).to.equal(HALF_MIN_POSTINGS + 1);
  });

  it('is limited by the numbers of postings, chains and legs', () => {
    expect(batchSize(many(3 * BATCH_MAX_POSTINGS), true)).to.equal(BATCH_MAX_POSTINGS);
    const chains = Array.from({ length: BATCH_MAX_CHAINS + 5 }, (_, index) => posting(String(index)));
    expect(batchSize(chains, true)).to.equal(BATCH_MAX_CHAINS);
    const large = posting('one', BATCH_MAX_LEGS / 2);
    expect(batchSize([large, large, posting('one')], true)).to.equal(2);
  });

  it('is a single posting if that has more legs than a batch may have', () => {
    const huge = posting('one', BATCH_MAX_LEGS + 1);
    expect(batchSize([huge, posting('one')], true)).to.equal(1);
    expect(batchSize([posting('one'), huge], true)).to.equal(1);
  });
});
