import { expect } from 'chai';
import type { Meeting } from '../../../lib/contracts/contribution.ts';
import { LATER, useContribution, type Person } from '../../harness/contribution.ts';
import { outcomeOf } from '../../harness/refusal.ts';

describe('contribution: settling savings', () => {
  const bench = useContribution(LATER);
  const { treasury } = bench;

  async function savingsOf(hands: number[], rounds: number) {
    const group = bench.group(hands, { type: 'savings' });
    await bench.startCycle(group, { rounds });
    return { ...group, meetings: await bench.meetings(group) };
  }

  it('keeps whatever came in as savings, and returns to each exactly what was paid for them', async () => {
    const group = await savingsOf([1, 2, 1], 3);
    const { association_id, people, president, meetings } = group;
    const [a, b, c] = people as [Person, Person, Person];
    const [first, second, last] = meetings as [Meeting, Meeting, Meeting];
    const held = (account: string) => treasury.balance(`${association_id}/${account}`);
    const saved = () =>
      ['treasury', 'cash_treasury'].map((name) => Number(treasury.savings.get(`${association_id}/${name}`)));
    // Something else is in the treasury.
    const kitty = await bench.scheduleMeeting(group);
    await bench.contribute(c, kitty, 777);
    await bench.settle(president, kitty);

    await bench.contribute(a, first, 10_000);
    await bench.contribute(b, first, 20_000);
    await bench.bringCash(first, c, 4_000);
    expect(await bench.settle(president, first)).to.deep.include({
      ...{ collected_amount: 34_000, shortfall_amount: 6_000, to_treasury_amount: 34_000 },
      ...{ payouts: [], arrears: [] },
    });
    expect(saved()).to.deep.equal([30_000, 4_000]);
    // No member came.
    expect(await bench.settle(president, second)).to.deep.include({ collected_amount: 0, status: 'settled' });
    expect(saved()).to.deep.equal([30_000, 4_000]);

    await bench.contribute(a, last, 3_000);
    await bench.contribute(a, last, 500, { for_member_id: c.member_id });
    await bench.bringCash(last, b, 1_000);
    const { preview_hash } = await bench.preview(president, last);
    const settlement = await bench.settle(president, last, { preview_hash });
    expect(settlement).to.deep.include({ collected_amount: 4_500, to_treasury_amount: -34_000 });
    // 33 500 of e-money first, over the members in natural order, then 5 000 of cash.
    expect(settlement.payouts.map((payout) => [payout.member_id, payout.method, payout.amount])).to.deep.equal([
      [a.member_id, 'wallet', 13_000],
      [b.member_id, 'wallet', 20_500],
      [b.member_id, 'cash', 500],
      [c.member_id, 'cash', 4_500],
    ]);
    expect([held('treasury'), held('cash_treasury'), ...saved()]).to.deep.equal([777, 0, 0, 0]);
    expect(held('cash_funding')).to.equal(0);
    // What a paid for c is c’s; b brought 1 000 in cash, of which 500 came back to their wallet.
    expect(bench.wallets(people)).to.deep.equal([999_500, 1_000_500, 999_223]);
    expect((await bench.eventTypes(association_id)).at(-1)).to.equal('cycle.completed');
    expect(await outcomeOf(bench.contribute(c, first, 1))).to.equal('meeting_not_open');
  });

  it('settles its rounds in order, none before its day unless all is paid', async () => {
    const { people, president, meetings } = await savingsOf([1, 1], 2);
    const [first, second] = meetings as [Meeting, Meeting];
    expect(await outcomeOf(bench.settle(president, second))).to.equal('earlier_round_open');
    bench.clock.day = '2026-03-09';
    await bench.contribute(people[0]!, first, 10_000);
    expect(await outcomeOf(bench.settle(president, first))).to.equal('meeting_not_due');
    await bench.contribute(people[1]!, first, 10_000);
    expect((await bench.settle(president, first)).status).to.equal('settled');
  });
});
