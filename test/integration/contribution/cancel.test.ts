import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { transfer } from '../../../lib/contracts/treasury.ts';
import { OPENING_BALANCE, useContribution, type Person } from '../../harness/contribution.ts';
import { REFUNDS_MAX } from '../../../services/contribution/settlement/settlement.rules.ts';
import { outcomeOf } from '../../harness/refusal.ts';

describe('contribution: cancelling a meeting', () => {
  const harness = useContribution();
  const { treasury } = harness;

  const asAtFirst = (people: Person[]) => people.map(() => OPENING_BALANCE);

  it('returns every contribution to its source in one transfer', async () => {
    const { association_id, people, president, meeting } = await harness.groupWithMeeting(3);
    const [a, b, c] = people as [Person, Person, Person];
    await harness.contribute(a, meeting, 1_000);
    await harness.contribute(a, meeting, 500);
    await harness.contribute(a, meeting, 300, { for_member_id: b.member_id });
    const cash_id = harness.newId();
    await harness.takeCash(meeting, c, 200, cash_id);
    expect(await outcomeOf(harness.cancel(president, meeting))).to.equal('contributions_in_flight');
    treasury.bringCash(association_id, meeting.id, cash_id, 200);
    await harness.decideCash(meeting, cash_id, true);

    const cancelled = await harness.cancel(president, meeting);
    expect(harness.headOf(cancelled).status).to.equal(200);
    expect(cancelled).to.deep.include({ status: 'cancelled', collected_amount: 0, settled_at: null });
    expect(harness.wallets(people)).to.deep.equal(asAtFirst(people));
    const refund = treasury.received(transfer).at(-1)!;
    expect(refund.kind).to.equal('meeting_refund');
    expect(refund.legs.map((leg) => [leg.account, leg.amount_minor, leg.member_id])).to.deep.equal([
      [`pool:${meeting.id}`, -1_800, undefined],
      [`cash_pool:${meeting.id}`, -200, undefined],
      [`wallet:${a.wallet_id}`, 1_500, a.member_id],
      [`wallet:${a.wallet_id}`, 300, b.member_id],
      ['cash_funding', 200, c.member_id],
    ]);
    const contributions = await harness.contributions(a, meeting);
    expect(contributions.map(({ status }) => status)).to.deep.equal(['paid', 'paid', 'paid', 'paid']);
    expect(await harness.dues(a, meeting)).to.deep.equal([]);
    expect((await harness.events(association_id)).at(-1)).to.deep.equal({
      type: 'meeting.cancelled',
      data: { meeting_id: meeting.id, refunded_minor: 2_000, currency: 'XAF' },
    });
    expect(await outcomeOf(harness.getSettlement(president, meeting))).to.equal('not_found');
    for (const attempt of [
      () => harness.cancel(president, meeting),
      () => harness.settle(president, meeting),
      () => harness.contribute(a, meeting, 1),
    ]) {
      expect(await outcomeOf(attempt())).to.equal('meeting_not_open');
    }
  });

  it('is refused for a round of a cycle', async () => {
    const { president, first } = await harness.cycle([1, 1]);
    expect(await outcomeOf(harness.cancel(president, first))).to.equal('meeting_in_cycle');
  });

  it('closes the meeting exactly once when it races a settlement, other cancellations and contributions', async () => {
    for (let run = 0; run < 5; run += 1) {
      const { people, president, meeting, association_id } = await harness.groupWithMeeting(4);
      const [settled, cancelled, again, ...paid] = await Promise.all([
        sleep(run).then(() => outcomeOf(harness.settle(president, meeting))),
        outcomeOf(harness.cancel(president, meeting)),
        outcomeOf(harness.cancel(president, meeting)),
        ...people.map((person) => outcomeOf(harness.contribute(person, meeting, 100))),
      ]);
      expect([settled, cancelled, again].filter((outcome) => outcome === 'done')).to.have.length(1);
      for (const outcome of paid) expect(outcome).to.be.oneOf(['done', 'meeting_not_open']);
      expect(harness.inPool(meeting)).to.equal(0);
      const kept = settled === 'done' ? paid.filter((outcome) => outcome === 'done').length * 100 : 0;
      const left = harness.wallets(people).reduce((sum, balance) => sum + balance, 0);
      expect(left).to.equal(people.length * OPENING_BALANCE - kept);
      expect(treasury.balance(`${association_id}/treasury`)).to.equal(kept);
    }
  });

  it('is refused, and leaves the meeting open, if its refund would be too large for one transfer', async () => {
    const { president, member, meeting } = await harness.groupWithMeeting();
    const { id } = await harness.contribute(member, meeting, 1_000);
    // As if paid from many other wallets.
    await harness.sql(
      `INSERT INTO contributions
       SELECT (jsonb_populate_record(c, jsonb_build_object('id', gen_random_uuid(), 'wallet_id', n))).*
       FROM contributions c, generate_series(1, $2::integer) n WHERE c.id = $1`,
      id,
      REFUNDS_MAX,
    );
    expect(await outcomeOf(harness.cancel(president, meeting))).to.equal('too_many_refunds');
    expect(await harness.getMeeting(president, meeting)).to.include({ status: 'open' });
    await harness.sql(`DELETE FROM contributions WHERE meeting_id = $1 AND wallet_id = '1'`, meeting.id);
    expect(await outcomeOf(harness.cancel(president, meeting))).to.not.equal('too_many_refunds');
  });

  it('reopens the meeting when the ledger refuses the refund', async () => {
    const { president, member, meeting } = await harness.groupWithMeeting();
    await harness.contribute(member, meeting, 1_000);
    const wallet = treasury.wallets.get(member.wallet_id)!;
    wallet.currency = 'EUR';
    expect(await outcomeOf(harness.cancel(president, meeting))).to.equal('wallet_currency_mismatch');
    wallet.currency = 'XAF';
    expect(await harness.getMeeting(president, meeting)).to.deep.include({ status: 'open', collected_amount: 1_000 });
    expect((await harness.cancel(president, meeting)).status).to.equal('cancelled');
  });
});
