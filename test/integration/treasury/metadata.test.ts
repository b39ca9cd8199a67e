import { expect } from 'chai';
import type { Decision } from '../../../lib/contracts/approvals.ts';
import type { EventType } from '../../../lib/contracts/events.ts';
import type { Metadata } from '../../../lib/contracts/metadata.ts';
import * as contract from '../../../lib/contracts/treasury.ts';
import { hashOf } from '../../../services/treasury/ledger/chain.rules.ts';
import { firstBreak } from '../../harness/chain.ts';
import { DONE } from '../../harness/fakes/fake.ts';
import { atOnce, outcomeOf } from '../../harness/refusal.ts';
import { useTreasury } from '../../harness/treasury.ts';

/** Names that JSON, JavaScript or canonical forms could reorder or misread. */
const METADATA: Metadata = { receipt: 'MOMO "8841"', note: '', 10: 'ten', 9: 'nine', 'é/~': '\\', constructor: 'c' };
const OTHER: Metadata = { receipt: 'other' };

describe('treasury: metadata', () => {
  const treasury = useTreasury();

  describe('of a deposit', () => {
    let wallet_id: string;
    let user: string;

    beforeEach(async () => {
      user = `u-${treasury.newId()}`;
      wallet_id = await treasury.fundedWallet(user, 0);
    });

    const deposit = (metadata?: Metadata, reference = 'r', key?: string) =>
      treasury.deposit(wallet_id, 500, reference, key, metadata);
    const show = (transfer_id: string) =>
      treasury.as(user, contract.getWalletTransfer, { path: { wallet_id, transfer_id } });

    it('is a part of the transfer and of its hash, also of a withdrawal', async () => {
      const plain = await deposit();
      const described = await deposit(METADATA, 'with metadata');
      const body = { amount: 100, reference: 'out', metadata: OTHER };
      const options = { scopes: ['wallets:fund'] };
      const withdrawn = await treasury.as('bank', contract.withdrawFromWallet, { path: { wallet_id }, body }, options);
      expect(plain).to.not.have.property('metadata');
      expect(described.metadata).to.deep.equal(METADATA);
      expect(withdrawn.metadata).to.deep.equal(OTHER);
      expect(firstBreak([plain, described, withdrawn])).to.equal(undefined);
      const { metadata, ...without } = described;
      expect(hashOf(without), JSON.stringify(metadata)).to.not.equal(described.hash);
      for (const posted of [plain, described, withdrawn]) {
        expect(await show(posted.id)).to.deep.equal(posted);
        const [event] = await treasury.sql<{ data: object }>(
          `SELECT event -> 'data' AS data FROM outbox WHERE event -> 'data' ->> 'id' = $1`,
          posted.id,
        );
        expect(event?.data).to.deep.equal(posted);
      }
    });

    it('is left out if it is empty', async () => {
      const posted = await deposit({});
      expect(posted).to.not.have.property('metadata');
      expect(await show(posted.id)).to.deep.equal(posted);
    });

    it('stays that of the first request with the reference', async () => {
      const first = await deposit(METADATA);
      for (const given of [METADATA, OTHER, {}, undefined]) expect(await deposit(given)).to.deep.equal(first);
      await treasury.restart();
      for (const given of [METADATA, OTHER, undefined]) expect(await deposit(given)).to.deep.equal(first);
      expect(await outcomeOf(treasury.deposit(wallet_id, 501, 'r', undefined, METADATA))).to.equal('reference_reused');
    });

    it('is that of the stored plan, even if the first request has ended before its transfer', async () => {
      treasury.failAt('treasury.funding.planned');
      expect(await outcomeOf(deposit(METADATA))).to.equal('internal_error');
      expect((await deposit(OTHER)).metadata).to.deep.equal(METADATA);
    });

    it('is one of those of concurrent requests with the reference', async () => {
      const posted = await Promise.all(atOnce(12, (index) => deposit({ place: String(index) })));
      for (const each of posted) expect(each).to.deep.equal(posted[0]);
    });

    it('distinguishes requests with the same key', async () => {
      const posted = await deposit(METADATA, 'r', 'key');
      expect(await deposit(METADATA, 'r', 'key')).to.deep.equal(posted);
      expect(await outcomeOf(deposit(OTHER, 'r', 'key'))).to.equal('idempotency_key_reused');
    });
  });

  const metadataInEvents = async (): Promise<[EventType, Metadata | undefined][]> =>
    (await treasury.events(treasury.group.id))
      .filter(({ type }) => type !== 'transfer.posted')
      .map(({ type, data }) => [type, (data as { metadata?: Metadata }).metadata]);

  const ENDS: [Decision, cash: EventType, distribution: EventType][] = [
    ['approved', 'cash.confirmed', 'distribution.paid'],
    ['rejected', 'cash.rejected', 'distribution.rejected'],
  ];
  it('of cash for a meeting is that of its contribution too', async () => {
    const meeting_id = treasury.newId();
    const { id } = await treasury.recordCash({ meeting_id, metadata: METADATA });
    expect(treasury.contribution.taken.get(id)).to.deep.include({ meeting_id, metadata: METADATA });
    const plain = await treasury.recordCash({ meeting_id });
    expect(treasury.contribution.taken.get(plain.id)?.metadata).to.equal(undefined);
  });

  for (const [decision, cash, distribution] of ENDS) {
    it(`of cash is in its answer and its events: ${decision}`, async () => {
      const deposit = await treasury.recordCash({ metadata: METADATA });
      expect(deposit.metadata).to.deep.equal(METADATA);
      expect(await treasury.decide(deposit.id, decision)).to.deep.equal(DONE);
      expect(await metadataInEvents()).to.deep.equal([
        ['cash.recorded', METADATA],
        [cash, METADATA],
      ]);
    });

    it(`of a distribution is in its answers and its events: ${decision}`, async () => {
      await treasury.endow(1_000);
      const requested = await treasury.distribute({ metadata: METADATA });
      expect(requested.metadata).to.deep.equal(METADATA);
      expect(await treasury.decide(requested.id, decision)).to.deep.equal(DONE);
      const path = { ...treasury.path(), distribution_id: requested.id };
      const shown = await treasury.as(treasury.group.m.user_id, contract.getDistribution, { path });
      expect(shown.metadata).to.deep.equal(METADATA);
      expect(await treasury.listed(contract.listDistributions, 10)).to.deep.equal([shown]);
      expect(await metadataInEvents()).to.deep.equal([
        ['distribution.requested', METADATA],
        [distribution, METADATA],
      ]);
    });
  }

  it('of a distribution is in its events if the ledger refuses to pay it', async () => {
    await treasury.endow(1_000);
    const { id } = await treasury.distribute({ metadata: METADATA });
    // A wallet in another currency cannot be paid.
    await treasury.sql(`UPDATE distributions SET payout_wallet_id = $2 WHERE id = $1`, id, treasury.newId());
    await treasury.decide(id, 'approved');
    expect((await metadataInEvents()).at(-1)).to.deep.equal(['distribution.failed', METADATA]);
  });

  it('is not part of what the board decides on', async () => {
    const deposit = await treasury.recordCash({ metadata: METADATA });
    expect(treasury.governance.approvalOf(deposit.id).payload).to.not.have.property('metadata');
  });

  it('is empty, and not in events, if none was given', async () => {
    await treasury.endow(1_000);
    for (const given of [{}, { metadata: {} }]) {
      expect((await treasury.recordCash(given)).metadata).to.deep.equal({});
      expect((await treasury.distribute(given)).metadata).to.deep.equal({});
    }
    expect((await metadataInEvents()).map(([, metadata]) => metadata)).to.deep.equal(Array(4).fill(undefined));
  });
});
