import { expect } from 'chai';
import { obligations } from '../../../lib/contracts/contribution.ts';
import { LATER, TODAY, useContribution } from '../../harness/contribution.ts';
import type { Person, Running, World } from '../../harness/contribution.ts';

const PAY_COLLECTED = { shortfall: 'pay_collected' } as const;

describe('contribution: arrears', () => {
  let world: World;
  let service: Running;
  useContribution((made) => ({ world, service } = made), LATER);

  const owes = async (association_id: string, { member_id }: Person) =>
    service.broker.call<{ has_arrears: boolean }, object>(obligations.name, {
      association_id,
      member_id,
      cycle_id: null,
    });
  const paidTo = (payouts: { member_id: string; amount: number }[]) =>
    payouts.map((payout) => [payout.member_id, payout.amount]);

  it('pays 2 of 12 missing members’ round with 100 000, and each of the two owes 10 000 to that beneficiary', async () => {
    const { people, president, first, pay, association_id } = await world.cycle(
      service,
      Array<number>(12).fill(1),
      PAY_COLLECTED,
    );
    const [late, later] = people.slice(-2) as [Person, Person];
    await pay(first, people.slice(0, 10));
    const { body } = await service.settle(president, first);
    expect(body).to.deep.include({ collected_amount: 100_000, expected_amount: 120_000, shortfall_amount: 20_000 });
    expect(paidTo(body.payouts)).to.deep.equal([[president.member_id, 100_000]]);
    const owed_to = [{ member_id: president.member_id, amount: 10_000 }];
    expect(body.arrears).to.deep.equal([
      { member_id: late.member_id, amount: 10_000, owed_to },
      { member_id: later.member_id, amount: 10_000, owed_to },
    ]);
    expect(await service.due(late, first)).to.deep.include({
      due: 10_000,
      paid: 0,
      outstanding: 10_000,
      arrears: 10_000,
    });
    expect(await owes(association_id, late)).to.deep.include({ has_arrears: true });

    const before = world.wallet(president);
    const part = await service.contribute(late, first, 4_000);
    expect(part.status).to.equal(201);
    expect(part.body).to.deep.include({ amount: 4_000, outstanding: 6_000, status: 'paid', method: 'wallet' });
    const transfer = world.treasury.outcomes.get(part.body.id) as { record: { kind: string; legs: object[] } };
    expect(transfer.record.kind).to.equal('arrears_payment');
    expect(world.treasury.inputs.get(part.body.id)).to.deep.include({ member_id: late.member_id });
    const legs = world.treasury.inputs.get(part.body.id)?.legs;
    expect(legs?.map((leg) => [leg.account, leg.amount_minor, leg.member_id])).to.deep.equal([
      [`wallet:${late.wallet_id}`, -4_000, undefined],
      [`wallet:${president.wallet_id}`, 4_000, president.member_id],
    ]);
    expect(world.wallet(president) - before).to.equal(4_000);
    expect(await service.due(late, first)).to.deep.include({
      due: 10_000,
      paid: 4_000,
      outstanding: 6_000,
      arrears: 6_000,
    });
    const refused = await service.contribute(late, first, 6_001);
    expect([refused.code, refused.extras]).to.deep.equal(['contribution_exceeds_due', { outstanding: 6_000 }]);
    // Any member may pay it, from their own wallet.
    const other = await service.contribute(people[1]!, first, 6_000, { for_member_id: late.member_id });
    expect(other.body).to.deep.include({ member_id: late.member_id, outstanding: 0 });
    expect((await service.contribute(late, first, 1)).extras).to.deep.equal({ outstanding: 0 });
    expect(await service.due(late, first)).to.deep.include({ paid: 10_000, outstanding: 0, arrears: 0 });
    expect(await owes(association_id, late)).to.deep.include({ has_arrears: false });
    // A member who never owed anything from it finds it closed.
    expect((await service.contribute(people[1]!, first, 1)).code).to.equal('meeting_not_open');
    // What the settlement left owed and what came in for it stay as they were.
    expect((await service.getSettlement(president, first)).body.arrears).to.have.length(2);
    expect((await service.getMeeting(president, first)).body.collected_amount).to.equal(100_000);
    const events = (await world.events(association_id)).filter((event) => event.type === 'contribution.paid');
    expect(events.slice(-2).map((event) => (event.data as { member_id: string }).member_id)).to.deep.equal([
      late.member_id,
      late.member_id,
    ]);
  });

  it('judges the shortfall by the rules as they are now, not as the cycle has pinned them', async () => {
    const { association_id, people, president, first, pay } = await world.cycle(service, [1, 1, 1], PAY_COLLECTED);
    const { terms } = world.membership.associations.get(association_id)!;
    await pay(first, people.slice(1));
    terms.rules = { ...terms.rules, shortfall: 'block' };
    terms.rules_version = 2;
    expect((await service.settle(president, first)).code).to.equal('meeting_underfunded');
    terms.rules = { ...terms.rules, shortfall: 'pay_collected' };
    expect((await service.settle(president, first)).body.rules_version).to.equal(1);
  });

  it('voids what a beneficiary would owe themselves', async () => {
    const { people, president, first, pay } = await world.cycle(service, [1, 1], PAY_COLLECTED);
    await pay(first, people.slice(1));
    const { body } = await service.settle(president, first);
    expect(body.arrears).to.deep.equal([]);
    expect(paidTo(body.payouts)).to.deep.equal([[president.member_id, 10_000]]);
    expect(await service.due(president, first)).to.deep.include({ paid: 0, outstanding: 10_000, arrears: 0 });
    expect((await service.contribute(president, first, 1)).code).to.equal('meeting_not_open');
  });

  it('splits claims over several beneficiaries and pays them off in rotation order', async () => {
    const { people, president, first, pay } = await world.cycle(service, [1, 1, 1, 1, 1, 1], {
      ...PAY_COLLECTED,
      beneficiaries: 3,
      amount: 101,
    });
    const debtor = people[5]!;
    await pay(first, people.slice(0, 5));
    const { body } = await service.settle(president, first);
    const [a, b, c] = people as [Person, Person, Person];
    // 505 over three hands; each is owed what it lacks to its third of 606.
    expect(body.payouts.map((payout) => payout.amount)).to.deep.equal([169, 168, 168]);
    expect(body.arrears).to.deep.equal([
      {
        member_id: debtor.member_id,
        amount: 101,
        owed_to: [
          { member_id: a.member_id, amount: 33 },
          { member_id: b.member_id, amount: 34 },
          { member_id: c.member_id, amount: 34 },
        ],
      },
    ]);
    const before = [a, b, c].map((person) => world.wallet(person));
    await service.contribute(debtor, first, 50);
    expect([a, b, c].map((person, index) => world.wallet(person) - before[index]!)).to.deep.equal([33, 17, 0]);
    await service.contribute(debtor, first, 51);
    expect([a, b, c].map((person, index) => world.wallet(person) - before[index]!)).to.deep.equal([33, 34, 34]);
    expect([a, b, c].map((person) => world.wallet(person))).to.deep.equal([a, b, c].map(() => 1_000_000 - 101 + 202));
  });

  it('owes each hand what it lacks, by the debtors in rotation order, and shows so before it settles', async () => {
    const group = world.tontine([1, 1, 1, 1], 2, 1_001, PAY_COLLECTED);
    const [a, b, c, d] = group.people as [Person, Person, Person, Person];
    const member_order = [a, b, d, c].map((person) => person.member_id);
    await service.startCycle(a.user_id, group.association_id, { starts_on: TODAY, order: 'manual', member_order });
    const first = (await service.meetings(a.user_id, group.association_id))[0]!;
    for (const person of [a, b]) expect((await service.contribute(person, first, 1_001)).status).to.equal(201);
    expect((await service.contribute(c, first, 1_000)).status).to.equal(201);
    const shown = await service.preview(a, first);
    const { body } = await service.settle(a, first, { preview_hash: shown.body.preview_hash });
    expect(body.payouts.map((payout) => payout.amount)).to.deep.equal([1_501, 1_501]);
    expect(body.arrears).to.deep.equal(shown.body.arrears);
    // d's turn comes before c's: d's 1 001 first, then c's 1.
    const owed_to = (...amounts: number[]) =>
      [a, b].map(({ member_id }, index) => ({ member_id, amount: amounts[index]! })).filter((part) => part.amount > 0);
    expect(body.arrears).to.deep.equal([
      { member_id: d.member_id, amount: 1_001, owed_to: owed_to(501, 500) },
      { member_id: c.member_id, amount: 1, owed_to: owed_to(0, 1) },
    ]);
    await service.contribute(d, first, 1_001);
    await service.contribute(c, first, 1);
    expect([a, b].map((person) => world.wallet(person))).to.deep.equal([1_001_001, 1_001_001]);
  });

  it('deducts arrears at the debtor’s own turn, oldest first, before they get anything', async () => {
    const { association_id, people, president, meetings, first, second, pay } = await world.cycle(
      service,
      [1, 1, 1],
      PAY_COLLECTED,
    );
    const [a, b, debtor] = people as [Person, Person, Person];
    for (const meeting of meetings.slice(0, 2)) {
      await pay(meeting, [a, b]);
      expect((await service.settle(president, meeting)).status).to.equal(200);
    }
    expect((await service.contribute(debtor, first, 3_000)).status).to.equal(201);
    await pay(meetings[2]!, [a]);
    const { body } = await service.settle(president, meetings[2]!);
    // 10 000 came in; the debtor owed 7 000 to the first and 10 000 to the second.
    expect(paidTo(body.payouts)).to.deep.equal([
      [a.member_id, 7_000],
      [b.member_id, 3_000],
    ]);
    expect(await service.due(debtor, first)).to.deep.include({ paid: 10_000, arrears: 0 });
    expect(await service.due(debtor, second)).to.deep.include({ paid: 3_000, outstanding: 7_000, arrears: 7_000 });
    // The cycle is over; what is owed outlives it, keeps no member from a new one, and can be paid.
    expect(await owes(association_id, debtor)).to.deep.equal({ cycle_running: false, has_arrears: true });
    const next = await service.startCycle(president.user_id, association_id, { starts_on: '2027-07-01' });
    expect(next.status).to.equal(201);
    expect((await service.contribute(debtor, second, 7_000)).body.outstanding).to.equal(0);
    // The second missed their part of the debtor’s turn, of which nothing reached the debtor: it is owed.
    expect(await service.due(b, meetings[2]!)).to.deep.include({ outstanding: 10_000, arrears: 10_000 });
  });

  it('never pays a debt twice when payments race one another and the debtor’s own turn', async () => {
    for (let run = 0; run < 4; run += 1) {
      const { people, president, first, second, pay } = await world.cycle(service, [1, 1], PAY_COLLECTED);
      const [creditor, debtor] = people as [Person, Person];
      await pay(first, [creditor]);
      await service.settle(president, first);
      await pay(second, people);
      const before = world.wallet(creditor) + world.wallet(debtor);
      const [settled, ...paid] = await Promise.all([
        service.settle(president, second),
        ...Array.from({ length: 4 }, () => service.contribute(debtor, first, 6_000)),
      ]);
      const direct = paid.filter((reply) => reply.status === 201).length * 6_000;
      for (const reply of paid) expect(reply.code).to.be.oneOf([undefined, 'contribution_exceeds_due']);
      const set_off = settled.body.payouts
        .filter((payout) => payout.member_id === creditor.member_id)
        .reduce((sum, payout) => sum + payout.amount, 0);
      expect(direct + set_off).to.equal(10_000);
      expect(await service.due(debtor, first)).to.deep.include({ paid: 10_000, outstanding: 0, arrears: 0 });
      expect(world.wallet(creditor) + world.wallet(debtor)).to.equal(before + 20_000);
    }
  });

  it('counts a payment of unknown outcome as in flight: neither set off nor paid again until it is known', async () => {
    const { people, president, first, second, pay } = await world.cycle(service, [1, 1], PAY_COLLECTED);
    const [creditor, debtor] = people as [Person, Person];
    await pay(first, [creditor]);
    await service.settle(president, first);
    await pay(second, people);
    world.treasury.mishaps.push('answer_lost');
    const pending = await service.contribute(debtor, first, 4_000);
    expect(pending.status).to.equal(202);
    expect((await service.contribute(debtor, first, 6_001)).extras).to.deep.equal({ outstanding: 6_000 });
    const { body } = await service.settle(president, second);
    expect(paidTo(body.payouts)).to.deep.equal([
      [creditor.member_id, 6_000],
      [debtor.member_id, 14_000],
    ]);
    await world.recover('it is paid', async () => (await service.due(debtor, first))?.arrears === 0);
    expect([world.wallet(creditor), world.wallet(debtor)]).to.deep.equal([1_000_000, 1_000_000]);
  });

  it('gives arrears back when the ledger refuses the payment', async () => {
    const { people, president, first, pay } = await world.cycle(service, [1, 1], PAY_COLLECTED);
    const [creditor, debtor] = people as [Person, Person];
    await pay(first, [creditor]);
    await service.settle(president, first);
    world.treasury.balances.set(`wallet:${debtor.wallet_id}`, 5_000n);
    expect((await service.contribute(debtor, first, 10_000)).code).to.equal('insufficient_funds');
    expect(await service.contributions(debtor, first)).to.have.length(1);
    expect((await service.contribute(debtor, first, 5_000)).body.outstanding).to.equal(5_000);
  });

  it('gives a set-off back when the ledger refuses the settlement', async () => {
    const { people, president, first, second, pay } = await world.cycle(service, [1, 1], PAY_COLLECTED);
    const [creditor, debtor] = people as [Person, Person];
    await pay(first, [creditor]);
    await service.settle(president, first);
    await pay(second, people);
    world.treasury.wallets.get(creditor.wallet_id)!.currency = 'EUR';
    expect((await service.settle(president, second)).code).to.equal('wallet_currency_mismatch');
    world.treasury.wallets.get(creditor.wallet_id)!.currency = 'XAF';
    expect(await service.due(debtor, first)).to.deep.include({ paid: 0, arrears: 10_000 });
    expect((await service.contribute(debtor, first, 10_000)).status).to.equal(201);
    expect(paidTo((await service.settle(president, second)).body.payouts)).to.deep.equal([[debtor.member_id, 20_000]]);
  });

  it('pays a creditor who has left, and lets a creditor pay their own debtor’s arrears', async () => {
    const { association_id, people, president, first, pay } = await world.cycle(service, [1, 1, 1], PAY_COLLECTED);
    const [creditor, other, debtor] = people as [Person, Person, Person];
    await pay(first, [creditor, other]);
    await service.settle(president, first);
    const before = world.wallet(creditor);
    const own = await service.contribute(creditor, first, 1_000, { for_member_id: debtor.member_id });
    expect([own.status, world.wallet(creditor)]).to.deep.equal([201, before]);
    const { members } = world.membership.associations.get(association_id)!;
    members.find((member) => member.member_id === creditor.member_id)!.status = 'left';
    expect((await service.contribute(debtor, first, 9_000)).body.outstanding).to.equal(0);
    expect(world.wallet(creditor)).to.equal(before + 9_000);
  });
});
