import { expect } from 'chai';
import type { Meeting } from '../../../lib/contracts/contribution.ts';
import { LATER, useContribution } from '../../harness/contribution.ts';
import type { Person, Running, World } from '../../harness/contribution.ts';

describe('contribution: settling savings', () => {
  let world: World;
  let service: Running;
  useContribution((made) => ({ world, service } = made), LATER);

  async function savingsOf(hands: number[], rounds: number) {
    const association_id = world.membership.found({ type: 'savings' });
    const people = hands.map((count) => world.join(association_id, { hands: count }));
    const president = people[0]!;
    expect((await service.startSavings(president.user_id, association_id, { rounds })).status).to.equal(201);
    const meetings = await service.meetings(president.user_id, association_id);
    return { association_id, people, president, meetings };
  }

  it('keeps whatever came in as savings, and returns to each exactly what was paid for them', async () => {
    const { association_id, people, president, meetings } = await savingsOf([1, 2, 1], 3);
    const [a, b, c] = people as [Person, Person, Person];
    const [first, second, last] = meetings as [Meeting, Meeting, Meeting];
    const held = (account: string) => world.treasury.balance(`${association_id}/${account}`);
    const saved = () =>
      ['treasury', 'cash_treasury'].map((name) => Number(world.treasury.savings.get(`${association_id}/${name}`)));
    // Something else is in the treasury.
    const kitty = await service.scheduleMeeting(president, association_id);
    await service.contribute(c, kitty, 777);
    await service.settle(president, kitty);

    await service.contribute(a, first, 10_000);
    await service.contribute(b, first, 20_000);
    await world.bringCash(service, first, c, 4_000);
    const one = await service.settle(president, first);
    expect(one.body).to.deep.include({ collected_amount: 34_000, shortfall_amount: 6_000, to_treasury_amount: 34_000 });
    expect(one.body).to.deep.include({ payouts: [], arrears: [] });
    expect(saved()).to.deep.equal([30_000, 4_000]);
    // No member came.
    expect((await service.settle(president, second)).body).to.deep.include({ collected_amount: 0, status: 'settled' });
    expect(saved()).to.deep.equal([30_000, 4_000]);

    await service.contribute(a, last, 3_000);
    await service.contribute(a, last, 500, { for_member_id: c.member_id });
    await world.bringCash(service, last, b, 1_000);
    const preview = (await service.preview(president, last)).body;
    const { body, status } = await service.settle(president, last, { preview_hash: preview.preview_hash });
    expect(status).to.equal(200);
    expect(body).to.deep.include({ collected_amount: 4_500, to_treasury_amount: -34_000 });
    // 33 500 of e-money first, over the members in natural order, then 5 000 of cash.
    expect(body.payouts.map((payout) => [payout.member_id, payout.method, payout.amount])).to.deep.equal([
      [a.member_id, 'wallet', 13_000],
      [b.member_id, 'wallet', 20_500],
      [b.member_id, 'cash', 500],
      [c.member_id, 'cash', 4_500],
    ]);
    expect([held('treasury'), held('cash_treasury'), ...saved()]).to.deep.equal([777, 0, 0, 0]);
    expect(held('cash_funding')).to.equal(0);
    // What a paid for c is c’s; b brought 1 000 in cash, of which 500 came back to their wallet.
    expect(people.map((person) => world.wallet(person))).to.deep.equal([999_500, 1_000_500, 999_223]);
    expect((await world.events(association_id)).at(-1)?.type).to.equal('cycle.completed');
    expect((await service.contribute(c, first, 1)).code).to.equal('meeting_not_open');
  });

  it('returns savings of a single round', async () => {
    const { people, president, meetings } = await savingsOf([1, 1], 1);
    await service.contribute(people[1]!, meetings[0]!, 2_500);
    const { body } = await service.settle(president, meetings[0]!);
    expect(body).to.deep.include({ to_treasury_amount: 0, collected_amount: 2_500 });
    expect(people.map((person) => world.wallet(person))).to.deep.equal([1_000_000, 1_000_000]);
  });

  it('settles its rounds in order, none before its day unless all is paid', async () => {
    const { people, president, meetings } = await savingsOf([1, 1], 2);
    expect((await service.settle(president, meetings[1]!)).code).to.equal('earlier_round_open');
    world.today = '2026-03-09';
    await service.contribute(people[0]!, meetings[0]!, 10_000);
    expect((await service.settle(president, meetings[0]!)).code).to.equal('meeting_not_due');
    await service.contribute(people[1]!, meetings[0]!, 10_000);
    expect((await service.settle(president, meetings[0]!)).status).to.equal(200);
  });
});
