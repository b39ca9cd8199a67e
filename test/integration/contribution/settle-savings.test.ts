import { expect } from 'chai';
import { savingsOfTransfers, type Meeting } from '../../../lib/contracts/contribution.ts';
import { LATER, useContribution, type Person } from '../../harness/contribution.ts';
import { outcomeOf } from '../../harness/refusal.ts';

describe('contribution: settling savings', () => {
  const harness = useContribution(LATER);
  const { treasury } = harness;

  async function savingsOf(hands: number[], rounds: number) {
    const group = harness.group(hands, { type: 'savings' });
    await harness.startCycle(group, { rounds });
    return { ...group, meetings: await harness.meetings(group) };
  }

  it('keeps all that was collected as savings, and returns to members exactly what was paid for them', async () => {
    const group = await savingsOf([1, 2, 1], 3);
    const { association_id, people, president, meetings } = group;
    const [a, b, c] = people as [Person, Person, Person];
    const [first, second, last] = meetings as [Meeting, Meeting, Meeting];
    const held = (account: string) => treasury.balance(`${association_id}/${account}`);
    const saved = () =>
      ['treasury', 'cash_treasury'].map((name) => Number(treasury.savings.get(`${association_id}/${name}`)));
    // The treasury also holds money that is not savings.
    const kitty = await harness.scheduleMeeting(group);
    await harness.contribute(c, kitty, 777);
    await harness.settle(president, kitty);

    await harness.contribute(a, first, 10_000);
    await harness.contribute(b, first, 20_000);
    await harness.bringCash(first, c, 4_000);
    expect(await harness.settle(president, first)).to.deep.include({
      collected_amount: 34_000,
      shortfall_amount: 6_000,
      to_treasury_amount: 34_000,
      payouts: [],
      arrears: [],
    });
    expect(saved()).to.deep.equal([30_000, 4_000]);
    // No member has paid.
    expect(await harness.settle(president, second)).to.deep.include({ collected_amount: 0, status: 'settled' });
    expect(saved()).to.deep.equal([30_000, 4_000]);

    await harness.contribute(a, last, 3_000);
    await harness.contribute(a, last, 500, { for_member_id: c.member_id });
    await harness.bringCash(last, b, 1_000);
    const { preview_hash } = await harness.preview(president, last);
    const settlement = await harness.settle(president, last, { preview_hash });
    expect(settlement).to.deep.include({ collected_amount: 4_500, to_treasury_amount: -34_000 });
    // The members, in join order, are paid 33 500 of e-money first, then 5 000 of cash.
    expect(settlement.payouts.map((payout) => [payout.member_id, payout.method, payout.amount])).to.deep.equal([
      [a.member_id, 'wallet', 13_000],
      [b.member_id, 'wallet', 20_500],
      [b.member_id, 'cash', 500],
      [c.member_id, 'cash', 4_500],
    ]);
    expect([held('treasury'), held('cash_treasury'), ...saved()]).to.deep.equal([777, 0, 0, 0]);
    expect(held('cash_funding')).to.equal(0);
    // The payment of a for c belongs to c; b paid 1 000 in cash and got 500 of it back to their wallet.
    expect(harness.wallets(people)).to.deep.equal([999_500, 1_000_500, 999_223]);
    expect((await harness.eventTypes(association_id)).at(-1)).to.equal('cycle.completed');
    expect(await outcomeOf(harness.contribute(c, first, 1))).to.equal('meeting_not_open');
  });

  it('settles rounds in order, and before their day only if all is paid', async () => {
    const { people, president, meetings } = await savingsOf([1, 1], 2);
    const [first, second] = meetings as [Meeting, Meeting];
    expect(await outcomeOf(harness.settle(president, second))).to.equal('earlier_round_open');
    harness.clock.day = '2026-03-09';
    await harness.contribute(people[0]!, first, 10_000);
    expect(await outcomeOf(harness.settle(president, first))).to.equal('meeting_not_due');
    await harness.contribute(people[1]!, first, 10_000);
    expect((await harness.settle(president, first)).status).to.equal('settled');
  });

  it('tells the treasury by how much settlements have changed the savings', async () => {
    const group = await savingsOf([1, 1], 2);
    const { association_id, people, president, meetings } = group;
    const [a, b] = people as [Person, Person];
    const [first, last] = meetings as [Meeting, Meeting];
    const changeOf = (transfer_ids: string[], of = association_id) =>
      harness.command(savingsOfTransfers, { association_id: of, transfer_ids });
    await harness.contribute(a, first, 10_000);
    await harness.bringCash(first, b, 4_000);
    const kept = await harness.settle(president, first);
    const returned = await harness.settle(president, last);
    expect(await changeOf([kept.id])).to.deep.equal({ emoney_minor: 10_000, cash_minor: 4_000 });
    expect(await changeOf([returned.id])).to.deep.equal({ emoney_minor: -10_000, cash_minor: -4_000 });
    const nothing = { emoney_minor: 0, cash_minor: 0 };
    expect(await changeOf([kept.id, returned.id, association_id])).to.deep.equal(nothing);
    expect(await changeOf([])).to.deep.equal(nothing);
    const elsewhere = harness.group([1, 1]);
    expect(await changeOf([kept.id], elsewhere.association_id)).to.deep.equal(nothing);
  });
});
