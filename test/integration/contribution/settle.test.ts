import { expect } from 'chai';
import type { Meeting } from '../../../lib/contracts/contribution.ts';
import { TODAY, until, useContribution } from '../../harness/contribution.ts';
import type { Person, Running, World } from '../../harness/contribution.ts';

describe('contribution: settling', () => {
  let world: World;
  let service: Running;
  useContribution((made) => ({ world, service } = made));

  it('pays the pot of a round to its hand in one transfer, and shows the settlement from then on', async () => {
    const { association_id, people, president, first, pay } = await world.cycle(service, [1, 1, 1]);
    expect((await service.getSettlement(president, first)).code).to.equal('not_found');
    await pay(first);
    const reply = await service.settle(president, first);
    expect(reply.status).to.equal(200);
    const { id, settled_at } = reply.body;
    expect(reply.body).to.deep.equal({
      id,
      meeting_id: first.id,
      status: 'settled',
      collected_amount: 30_000,
      expected_amount: 30_000,
      shortfall_amount: 0,
      payouts: [
        {
          member_id: president.member_id,
          wallet_id: president.wallet_id,
          method: 'wallet',
          amount: 30_000,
          transfer_id: id,
        },
      ],
      to_treasury_amount: 0,
      arrears: [],
      rules_version: 1,
      settled_by_member_id: president.member_id,
      settled_at,
    });
    expect(people.map((person) => world.wallet(person))).to.deep.equal([1_020_000, 990_000, 990_000]);
    expect((await service.getSettlement(people[2]!, first)).body).to.deep.equal(reply.body);
    const meeting = (await service.getMeeting(president, first)).body;
    expect(meeting).to.deep.include({ status: 'settled', settled_at, collected_amount: 30_000 });
    expect((await world.events(association_id)).at(-1)?.data).to.deep.equal({
      meeting_id: first.id,
      cycle_id: first.cycle_id,
      settlement_id: id,
      collected_minor: 30_000,
      currency: 'XAF',
    });
  });

  it('splits the pot over the hands of a round, and pays a member all their hands at once', async () => {
    // Six hands at 101 make 606; the round has two hands of the first member and one of the second.
    const { people, president, first, pay } = await world.cycle(service, [2, 2, 2], { beneficiaries: 3, amount: 101 });
    await pay(first);
    const reply = await service.settle(president, first);
    expect(reply.body.payouts.map((payout) => [payout.member_id, payout.amount])).to.deep.equal([
      [people[0]!.member_id, 404],
      [people[1]!.member_id, 202],
    ]);
  });

  it('runs a whole cycle after which every member has what they began with', async () => {
    const { association_id, people, president, meetings, pay } = await world.cycle(service, [1, 3, 2], {
      beneficiaries: 2,
    });
    for (const meeting of meetings) {
      await pay(meeting);
      expect((await service.settle(president, meeting)).status).to.equal(200);
    }
    expect(people.map((person) => world.wallet(person))).to.deep.equal([1_000_000, 1_000_000, 1_000_000]);
    expect((await world.events(association_id)).slice(-2).map((event) => event.type)).to.deep.equal([
      'meeting.settled',
      'cycle.completed',
    ]);
    expect(await world.countEvents(association_id, 'cycle.completed')).to.equal(1);
  });

  it('refuses in the order of the contract, and each refusal leaves the meeting open', async () => {
    const { association_id, people, president, first, second, pay } = await world.cycle(service, [1, 1]);
    const [, other] = people as [Person, Person];
    expect((await service.settle(other, first)).code).to.equal('role_not_allowed');
    expect((await service.settle(president, { association_id, id: world.newId() })).code).to.equal('not_found');
    // An earlier round hinders before the day and the money do.
    expect((await service.settle(president, second)).code).to.equal('earlier_round_open');
    world.today = '2026-03-09';
    await service.contribute(other, first, 4_000);
    expect((await service.settle(president, first)).code).to.equal('meeting_not_due');
    world.today = TODAY;
    const underfunded = await service.settle(president, first);
    expect(underfunded).to.deep.include({ status: 409, code: 'meeting_underfunded' });
    expect(underfunded.extras).to.deep.equal({
      missing: [
        { member_id: president.member_id, outstanding: 10_000 },
        { member_id: other.member_id, outstanding: 6_000 },
      ],
    });
    expect(await service.statusOf(president, first)).to.equal('open');
    await service.contribute(other, first, 6_000);
    await service.contribute(president, first, 10_000);
    expect((await service.settle(president, first)).status).to.equal(200);
    expect((await service.settle(president, first)).code).to.equal('meeting_not_open');
    expect((await service.contribute(other, first, 1)).code).to.equal('meeting_not_open');
    // All paid: the second round settles before its day.
    await pay(second);
    expect((await service.settle(president, second)).status).to.equal(200);
  });

  it('moves the pool of a meeting outside a cycle to the treasury, whatever came in', async () => {
    const { association_id, president } = world.tontine([1, 1]);
    const full = await service.scheduleMeeting(president, association_id, { due_on: '2027-01-01' });
    await service.contribute(president, full, 777);
    const settled = await service.settle(president, full);
    expect(settled.body).to.deep.include({ collected_amount: 777, expected_amount: 0, shortfall_amount: 0 });
    expect(settled.body).to.deep.include({ to_treasury_amount: 777, payouts: [] });
    expect(world.treasury.balance(`${association_id}/treasury`)).to.equal(777);
    const empty = await service.scheduleMeeting(president, association_id);
    const posted = world.treasury.posted().length;
    expect((await service.settle(president, empty)).body).to.deep.include({ collected_amount: 0, status: 'settled' });
    expect(world.treasury.posted()).to.have.length(posted);
  });

  it('settles once when several ask at once', async () => {
    const { president, first, pay, people } = await world.cycle(service, [1, 1]);
    await pay(first);
    const replies = await Promise.all(Array.from({ length: 6 }, () => service.settle(president, first)));
    expect(replies.map((reply) => reply.code ?? 'settled').sort()).to.deep.equal([
      ...Array.from({ length: 5 }, () => 'meeting_not_open'),
      'settled',
    ]);
    expect(people.map((person) => world.wallet(person))).to.deep.equal([1_010_000, 990_000]);
  });

  it('opens a wallet for a beneficiary who has none', async () => {
    const association_id = world.membership.found();
    const president = world.join(association_id, { payout_wallet_id: null }, 0);
    const other = world.join(association_id);
    await service.startCycle(president.user_id, association_id);
    const [first] = (await service.meetings(president.user_id, association_id)) as [Meeting];
    for (const for_member_id of [president.member_id, other.member_id]) {
      await service.contribute(other, first, 10_000, { for_member_id });
    }
    const reply = await service.settle(president, first);
    expect(reply.body.payouts[0]).to.deep.include({ wallet_id: president.wallet_id, amount: 20_000 });
  });

  it('waits for a contribution in flight and settles with it', async () => {
    const { people, president, first } = await world.cycle(service, [1, 1]);
    const [, other] = people as [Person, Person];
    await service.contribute(president, first, 10_000);
    world.treasury.lateness_ms = 60;
    world.treasury.mishaps.push('late');
    const paying = service.contribute(other, first, 10_000);
    await until('it is in flight', async () => (await service.contributions(president, first)).length === 2);
    const reply = await service.settle(president, first);
    expect((await paying).status).to.equal(201);
    expect(reply.body).to.deep.include({ collected_amount: 20_000, status: 'settled' });
  });

  it('gives up waiting for a contribution of unknown outcome and opens the meeting again', async () => {
    const { people, president, first } = await world.cycle(service, [1, 1]);
    const [, other] = people as [Person, Person];
    await service.contribute(president, first, 10_000);
    world.treasury.mishaps.push('request_lost');
    expect((await service.contribute(other, first, 4_000)).status).to.equal(202);
    const waiting = service.settle(president, first);
    await until('it is settling', async () => (await service.statusOf(president, first)) === 'settling');
    expect((await service.contribute(other, first, 1_000)).code).to.equal('meeting_not_open');
    expect((await service.settle(president, first)).code).to.equal('meeting_not_open');
    expect((await waiting).code).to.equal('contributions_in_flight');
    expect((await service.contribute(other, first, 6_000)).status).to.equal(201);
  });

  for (const mishap of ['request_lost', 'answer_lost', 'late'] as const) {
    it(`answers 202 when the ledger's outcome is not known in time (${mishap}), and recovery settles`, async () => {
      const { association_id, people, president, first, pay } = await world.cycle(service, [1, 1]);
      await pay(first);
      world.treasury.mishaps.push(mishap);
      const reply = await service.settle(president, first);
      expect(reply.status).to.equal(202);
      expect(reply.location).to.match(new RegExp(`/meetings/${first.id}/settlement$`));
      expect(reply.body).to.deep.include({ status: 'pending', settled_at: null, collected_amount: 20_000 });
      expect((await service.getSettlement(president, first)).body).to.deep.equal(reply.body);
      expect((await service.settle(president, first)).code).to.equal('meeting_not_open');
      await world.recover('it is settled', async () => (await service.statusOf(president, first)) === 'settled');
      expect((await service.getSettlement(president, first)).body).to.deep.include({
        id: reply.body.id,
        status: 'settled',
      });
      expect(people.map((person) => world.wallet(person))).to.deep.equal([1_010_000, 990_000]);
      expect(await world.countEvents(association_id, 'meeting.settled')).to.equal(1);
    });
  }

  it('opens the meeting again when the ledger refuses the plan, and settles by another plan', async () => {
    const { people, president, first, pay } = await world.cycle(service, [1, 1]);
    await pay(first);
    const beneficiary = world.treasury.wallets.get(president.wallet_id)!;
    beneficiary.currency = 'EUR';
    expect((await service.settle(president, first)).code).to.equal('wallet_currency_mismatch');
    expect(await service.statusOf(president, first)).to.equal('open');
    expect((await service.getSettlement(president, first)).code).to.equal('not_found');
    beneficiary.currency = 'XAF';
    expect((await service.settle(president, first)).status).to.equal(200);
    expect(people.map((person) => world.wallet(person))).to.deep.equal([1_010_000, 990_000]);
  });
});
