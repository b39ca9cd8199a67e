import { expect } from 'chai';
import { changeMeeting } from '../../../lib/contracts/contribution.ts';
import { transfer } from '../../../lib/contracts/treasury.ts';
import { OPENING_BALANCE, TODAY, useContribution } from '../../harness/contribution.ts';
import { eventually } from '../../harness/eventually.ts';
import { atOnce, outcomeOf, outcomesOf, refusalOf } from '../../harness/refusal.ts';

describe('contribution: settling', () => {
  const harness = useContribution();
  const { membership, treasury } = harness;

  it('pays the pool of a round to its beneficiary in one transfer, and stores a settlement that every member can read', async () => {
    const { association_id, people, president, first, pay } = await harness.cycle([1, 1, 1]);
    const { member_id, wallet_id } = president;
    expect(await outcomeOf(harness.getSettlement(president, first))).to.equal('not_found');
    await pay(first);
    const settlement = await harness.settle(president, first);
    expect(harness.headOf(settlement).status).to.equal(200);
    const { id, settled_at } = settlement;
    expect(settlement).to.deep.equal({
      id,
      meeting_id: first.id,
      status: 'settled',
      collected_amount: 30_000,
      expected_amount: 30_000,
      shortfall_amount: 0,
      payouts: [{ member_id, wallet_id, method: 'wallet', amount: 30_000, transfer_id: id }],
      to_treasury_amount: 0,
      arrears: [],
      rules_version: 1,
      settled_by_member_id: member_id,
      settled_at,
    });
    expect(harness.wallets(people)).to.deep.equal([1_020_000, 990_000, 990_000]);
    expect(await harness.getSettlement(people[2]!, first)).to.deep.equal(settlement);
    const meeting = await harness.getMeeting(president, first);
    expect(meeting).to.deep.include({ status: 'settled', settled_at, collected_amount: 30_000 });
    expect((await harness.events(association_id)).at(-1)!.data).to.deep.equal({
      meeting_id: first.id,
      cycle_id: first.cycle_id,
      settlement_id: id,
      collected_minor: 30_000,
      currency: 'XAF',
    });
  });

  it('returns to every member, over a whole cycle, exactly what they paid', async () => {
    const { association_id, people, president, meetings, pay } = await harness.cycle([1, 3, 2], {
      beneficiaries_per_meeting: 2,
    });
    // Every member has paid, so every round settles before its day.
    for (const meeting of meetings) {
      await pay(meeting);
      await harness.settle(president, meeting);
    }
    expect(harness.wallets(people)).to.deep.equal(people.map(() => OPENING_BALANCE));
    const types = await harness.eventTypes(association_id);
    expect(types.slice(-2)).to.deep.equal(['meeting.settled', 'cycle.completed']);
    expect(types.indexOf('cycle.completed')).to.equal(types.length - 1);
  });

  it('refuses in the documented order of refusals, and each refusal leaves the meeting open', async () => {
    const { association_id, member, president, first, second } = await harness.cycle([1, 1]);
    expect(await outcomeOf(harness.settle(president, { association_id, id: harness.newId() }))).to.equal('not_found');
    expect(await outcomeOf(harness.settle(president, second))).to.equal('earlier_round_open');
    harness.clock.day = '2026-03-09';
    await harness.contribute(member, first, 4_000);
    expect(await outcomeOf(harness.settle(president, first))).to.equal('meeting_not_due');
    harness.clock.day = TODAY;
    expect(await refusalOf(harness.settle(president, first))).to.deep.equal({
      code: 'meeting_underfunded',
      extras: {
        missing: [
          { member_id: president.member_id, outstanding: 10_000 },
          { member_id: member.member_id, outstanding: 6_000 },
        ],
      },
    });
    expect(await harness.statusOf(president, first)).to.equal('open');
    await harness.contribute(member, first, 6_000);
    await harness.contribute(president, first, 10_000);
    await harness.settle(president, first);
    expect(await outcomeOf(harness.settle(president, first))).to.equal('meeting_not_open');
    expect(await outcomeOf(harness.contribute(member, first, 1))).to.equal('meeting_not_open');
  });

  it('moves the pool of a meeting outside a cycle to the treasury, even if it is empty', async () => {
    const group = await harness.groupWithMeeting();
    const { association_id, president, meeting } = group;
    await harness.contribute(president, meeting, 77);
    await harness.bringCash(meeting, president, 700);
    harness.clock.day = '2026-03-09';
    expect(await harness.settle(president, meeting)).to.deep.include({
      collected_amount: 777,
      expected_amount: 0,
      shortfall_amount: 0,
      to_treasury_amount: 777,
      payouts: [],
    });
    const held = (account: string) => treasury.balance(`${association_id}/${account}`);
    expect([held('treasury'), held('cash_treasury')]).to.deep.equal([77, 700]);
    const empty = await harness.scheduleMeeting(group);
    const transfers = treasury.posted().length;
    expect(await harness.settle(president, empty)).to.deep.include({ collected_amount: 0, status: 'settled' });
    expect(treasury.posted()).to.have.length(transfers);
  });

  it('settles once when several requests are concurrent', async () => {
    const { president, first, pay, people } = await harness.cycle([1, 1]);
    await pay(first);
    const outcomes = await outcomesOf(atOnce(6, () => harness.settle(president, first)));
    expect(outcomes).to.deep.equal(['done', ...Array<string>(5).fill('meeting_not_open')]);
    expect(harness.wallets(people)).to.deep.equal([1_010_000, 990_000]);
  });

  it('opens a wallet for a beneficiary who does not have a payout wallet', async () => {
    const { id: association_id } = membership.found();
    const president = harness.join(association_id, { payout_wallet_id: null }, 0);
    const group = { association_id, president, people: [president, harness.join(association_id)] };
    await harness.startCycle(group);
    const [first] = await harness.meetings(group);
    for (const { member_id } of group.people) {
      await harness.contribute(group.people[1]!, first!, 10_000, { for_member_id: member_id });
    }
    const { payouts } = await harness.settle(president, first!);
    expect(payouts[0]).to.deep.include({ wallet_id: president.wallet_id, amount: 20_000 });
  });

  it('waits for a contribution in flight and includes it', async () => {
    const { member, president, first, pay } = await harness.cycle([1, 1]);
    await pay(first, [president]);
    const answered = Promise.withResolvers<void>();
    treasury.next(transfer, answered.promise);
    const paying = harness.contribute(member, first, 10_000);
    await eventually(async () => expect(await harness.contributions(president, first)).to.have.length(2));
    const settling = harness.settle(president, first);
    await eventually(async () => expect(await harness.statusOf(president, first)).to.equal('settling'));
    answered.resolve();
    expect((await paying).status).to.equal('paid');
    expect(await settling).to.deep.include({ collected_amount: 20_000, status: 'settled' });
  });

  it('refuses other requests while it waits for a contribution, and reopens the meeting if the outcome stays unknown', async () => {
    const { member, president, first, pay } = await harness.cycle([1, 1]);
    const { association_id, id: meeting_id } = first;
    await pay(first, [president]);
    treasury.next(transfer, 'request_lost');
    await harness.contribute(member, first, 4_000);
    const settling = outcomeOf(harness.settle(president, first));
    await eventually(async () => expect(await harness.statusOf(president, first)).to.equal('settling'));
    const outcomes = await outcomesOf([
      harness.contribute(member, first, 1_000),
      harness.settle(president, first),
      harness.preview(president, first),
      harness.as(president.user_id, changeMeeting, { path: { association_id, meeting_id }, body: {} }),
    ]);
    expect(outcomes).to.deep.equal(Array<string>(4).fill('meeting_not_open'));
    expect(await settling).to.equal('contributions_in_flight');
    expect((await harness.contribute(member, first, 6_000)).status).to.equal('paid');
  });
});
