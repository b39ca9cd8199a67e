import { expect } from 'chai';
import type { Meeting } from '../../../lib/contracts/contribution.ts';
import { transfer } from '../../../lib/contracts/treasury.ts';
import { paidTo, PAY_COLLECTED, useContribution } from '../../harness/contribution.ts';
import { outcomeOf } from '../../harness/refusal.ts';

describe('contribution: previewing a settlement', () => {
  const harness = useContribution();
  const { treasury } = harness;

  it('shows exactly what settling with its `preview_hash` does', async () => {
    const { people, president, first, pay } = await harness.cycle([1, 1, 1], PAY_COLLECTED);
    await pay(first, people.slice(0, 2));
    // Any member may preview.
    const preview = await harness.preview(people[2]!, first);
    expect(preview).to.deep.include({ collected_amount: 20_000, shortfall_amount: 10_000, refused_for: null });
    expect(preview.preview_hash).to.match(/^[0-9a-f]{64}$/);
    const settlement = await harness.settle(president, first, { preview_hash: preview.preview_hash });
    const { id: transfer_id, arrears, rules_version } = settlement;
    expect(settlement.payouts).to.deep.equal(preview.payouts.map((payout) => ({ ...payout, transfer_id })));
    expect({ arrears, rules_version }).to.deep.equal({
      arrears: preview.arrears,
      rules_version: preview.rules_version,
    });
    const posted = treasury.posted().find(({ id }) => id === transfer_id);
    expect(posted!.legs).to.deep.equal(preview.legs);
    expect(await outcomeOf(harness.preview(president, first))).to.equal('meeting_not_open');
  });

  it('reports, in the order of refusals, why settling would be refused, and changes nothing', async () => {
    const { member, president, first, second } = await harness.cycle([1, 1]);
    const refusedFor = async (meeting: Meeting) => (await harness.preview(president, meeting)).refused_for;
    const elsewhere = { ...first, id: harness.newId() };
    expect(await outcomeOf(harness.preview(president, elsewhere))).to.equal('not_found');
    expect(await refusedFor(second)).to.equal('earlier_round_open');
    expect(await refusedFor(first)).to.equal('meeting_underfunded');
    harness.clock.day = '2026-03-09';
    expect(await refusedFor(first)).to.equal('meeting_not_due');
    treasury.next(transfer, 'request_lost');
    await harness.contribute(member, first, 10_000);
    expect(await refusedFor(first)).to.equal('contributions_in_flight');
    expect(await harness.statusOf(president, first)).to.equal('open');
  });

  it('makes settling refuse a `preview_hash` that no longer matches, in the documented order of refusals', async () => {
    const { member, president, first, second } = await harness.cycle([1, 1]);
    const hash = async () => (await harness.preview(president, first)).preview_hash;
    const settling = (meeting: Meeting, preview_hash: string) =>
      outcomeOf(harness.settle(president, meeting, { preview_hash }));
    const original = await hash();
    // The meeting is also underfunded: `settlement_changed` comes before that, but after `earlier_round_open`.
    await harness.contribute(president, first, 1);
    expect(await settling(first, original)).to.equal('settlement_changed');
    expect(await settling(second, original)).to.equal('earlier_round_open');
    const later = await hash();
    expect(await settling(first, later)).to.equal('meeting_underfunded');
    await harness.contribute(president, first, 9_999);
    await harness.contribute(member, first, 10_000);
    expect(await settling(first, later)).to.equal('settlement_changed');
    expect(await harness.statusOf(president, first)).to.equal('open');
    expect(await settling(first, await hash())).to.equal('done');
  });

  it('shows the arrears that settling would deduct', async () => {
    const { people, president, creditor, debtor, first, second, pay } = await harness.cycleWithArrears();
    harness.clock.day = second.due_on;
    await pay(second, people);
    const preview = await harness.preview(president, second);
    expect(paidTo(preview)).to.deep.equal([
      [creditor.member_id, 10_000],
      [debtor.member_id, 10_000],
    ]);
    // Once the debtor has paid them, settling would have another effect.
    await harness.contribute(debtor, first, 10_000);
    const settling = harness.settle(president, second, { preview_hash: preview.preview_hash });
    expect(await outcomeOf(settling)).to.equal('settlement_changed');
  });
});
