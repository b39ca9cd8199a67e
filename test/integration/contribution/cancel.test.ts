import { expect } from 'chai';
import { useContribution } from '../../harness/contribution.ts';
import type { Person, Running, World } from '../../harness/contribution.ts';

describe('contribution: cancelling a meeting', () => {
  let world: World;
  let service: Running;
  useContribution((made) => ({ world, service } = made));

  async function gathering(members = 3) {
    const association_id = world.membership.found({ type: 'solidarity' });
    const people = Array.from({ length: members }, () => world.join(association_id));
    const president = people[0]!;
    const meeting = await service.scheduleMeeting(president, association_id);
    return { association_id, people, president, meeting };
  }

  it('gives every contribution back to where it came from, in one transfer', async () => {
    const { association_id, people, president, meeting } = await gathering();
    const [a, b, c] = people as [Person, Person, Person];
    await service.contribute(a, meeting, 1_000);
    await service.contribute(a, meeting, 500);
    await service.contribute(a, meeting, 300, { for_member_id: b.member_id });
    const cash_id = world.newId();
    await service.takeCash(meeting, c, 200, cash_id);
    expect((await service.cancel(president, meeting)).code).to.equal('contributions_in_flight');
    world.treasury.bringCash(association_id, meeting.id, cash_id, 200);
    await service.decideCash(meeting, cash_id, true);

    const reply = await service.cancel(president, meeting);
    expect(reply.status).to.equal(200);
    expect(reply.body).to.deep.include({ status: 'cancelled', collected_amount: 0, settled_at: null });
    expect(people.map((person) => world.wallet(person))).to.deep.equal([1_000_000, 1_000_000, 1_000_000]);
    const refund = [...world.treasury.inputs.values()].find(
      (each) => each.kind === 'meeting_refund' && each.association_id === association_id,
    );
    expect(refund?.legs.map((leg) => [leg.account, leg.amount_minor, leg.member_id])).to.deep.equal([
      [`pool:${meeting.id}`, -1_800, undefined],
      [`cash_pool:${meeting.id}`, -200, undefined],
      [`wallet:${a.wallet_id}`, 1_500, a.member_id],
      [`wallet:${a.wallet_id}`, 300, b.member_id],
      ['cash_funding', 200, c.member_id],
    ]);
    expect((await service.contributions(a, meeting)).map((each) => each.status)).to.deep.equal(
      Array.from({ length: 4 }, () => 'paid'),
    );
    expect(await service.dues(a, meeting)).to.deep.equal([]);
    expect((await world.events(association_id)).at(-1)).to.deep.include({
      type: 'meeting.cancelled',
      data: { meeting_id: meeting.id, refunded_minor: 2_000, currency: 'XAF' },
    });
    expect((await service.getSettlement(president, meeting)).code).to.equal('not_found');
    for (const again of [service.cancel(president, meeting), service.settle(president, meeting)]) {
      expect((await again).code).to.equal('meeting_not_open');
    }
    expect((await service.contribute(a, meeting, 1)).code).to.equal('meeting_not_open');
  });

  it('is refused to rounds of a cycle', async () => {
    const { president, first } = await world.cycle(service, [1, 1]);
    expect((await service.cancel(president, first)).code).to.equal('meeting_in_cycle');
  });

  it('ends once when it races settling, other cancellations and contributions', async () => {
    for (let run = 0; run < 5; run += 1) {
      const { people, president, meeting, association_id } = await gathering(4);
      const [settled, cancelled, again, ...paid] = await Promise.all([
        new Promise((resolve) => setTimeout(resolve, run)).then(() => service.settle(president, meeting)),
        service.cancel(president, meeting),
        service.cancel(president, meeting),
        ...people.map((person) => service.contribute(person, meeting, 100)),
      ]);
      const ended = [settled, cancelled, again].filter((reply) => reply.status === 200);
      expect(ended).to.have.length(1);
      for (const reply of paid) expect(reply.code).to.be.oneOf([undefined, 'meeting_not_open']);
      expect(world.inPool(meeting)).to.equal(0);
      const kept = settled.status === 200 ? paid.filter((reply) => reply.status === 201).length * 100 : 0;
      expect(people.reduce((sum, person) => sum + world.wallet(person), 0)).to.equal(4_000_000 - kept);
      expect(world.treasury.balance(`${association_id}/treasury`)).to.equal(kept);
    }
  });

  for (const mishap of ['request_lost', 'answer_lost'] as const) {
    it(`answers 202 while the outcome is not known (${mishap}), and recovery cancels it`, async () => {
      const { association_id, people, president, meeting } = await gathering();
      await service.contribute(people[1]!, meeting, 1_000);
      world.treasury.mishaps.push(mishap);
      const reply = await service.cancel(president, meeting);
      expect([reply.status, reply.body.status]).to.deep.equal([202, 'settling']);
      expect(reply.location).to.match(new RegExp(`/meetings/${meeting.id}$`));
      await world.recover('it is cancelled', async () => {
        return (await service.statusOf(president, meeting)) === 'cancelled';
      });
      expect(people.map((person) => world.wallet(person))).to.deep.equal([1_000_000, 1_000_000, 1_000_000]);
      expect(await world.countEvents(association_id, 'meeting.cancelled')).to.equal(1);
    });
  }

  it('opens the meeting again when the ledger refuses the refund', async () => {
    const { people, president, meeting } = await gathering();
    await service.contribute(people[1]!, meeting, 1_000);
    world.treasury.wallets.get(people[1]!.wallet_id)!.currency = 'EUR';
    expect((await service.cancel(president, meeting)).code).to.equal('wallet_currency_mismatch');
    world.treasury.wallets.get(people[1]!.wallet_id)!.currency = 'XAF';
    expect((await service.getMeeting(president, meeting)).body).to.deep.include({
      status: 'open',
      collected_amount: 1_000,
    });
    expect((await service.cancel(president, meeting)).status).to.equal(200);
  });
});
