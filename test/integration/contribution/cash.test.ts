import { expect } from 'chai';
import type { Meeting } from '../../../lib/contracts/contribution.ts';
import { useContribution } from '../../harness/contribution.ts';
import type { Person, Running, World } from '../../harness/contribution.ts';

describe('contribution: cash', () => {
  let world: World;
  let service: Running;
  useContribution((made) => ({ world, service } = made));

  const take = async (meeting: Meeting, person: Person, amount_minor: number, id = world.newId()) => {
    return { id, code: await service.takeCash(meeting, person, amount_minor, id) };
  };
  const decide = (meeting: Meeting, id: string, paid: boolean) => service.decideCash(meeting, id, paid);

  it('takes the due when it is recorded, and counts it once it is confirmed, once for its id', async () => {
    const { association_id, president, people, first } = await world.cycle(service, [1, 1]);
    const [, member] = people as [Person, Person];
    const { id, code } = await take(first, member, 8_000);
    expect(code).to.equal(undefined);
    expect((await take(first, member, 8_000, id)).code).to.equal(undefined);
    const [pending] = await service.contributions(president, first);
    expect(pending).to.deep.include({ id, method: 'cash', status: 'pending', wallet_id: null, amount: 8_000 });
    expect(pending).to.deep.include({ member_id: member.member_id, paid_by_member_id: member.member_id });
    expect((await service.contribute(member, first, 2_001)).extras).to.deep.equal({ outstanding: 2_000 });
    expect((await take(first, member, 2_001)).code).to.equal('contribution_exceeds_due');

    world.treasury.bringCash(association_id, first.id, id, 8_000);
    for (let time = 0; time < 2; time += 1) expect(await decide(first, id, true)).to.equal(undefined);
    // Told otherwise afterwards, it stays paid.
    expect(await decide(first, id, false)).to.equal(undefined);
    const [paid] = await service.contributions(president, first);
    expect(paid).to.deep.include({ status: 'paid', transfer_id: id, outstanding: 2_000 });
    expect((await service.getMeeting(president, first)).body.collected_amount).to.equal(8_000);
    const events = (await world.events(association_id)).filter((event) => event.type.startsWith('contribution.'));
    expect(events.map((event) => [event.type, (event.data as { method: string }).method])).to.deep.equal([
      ['contribution.paid', 'cash'],
    ]);
  });

  it('gives the due back when it is rejected', async () => {
    const { association_id, president, people, first } = await world.cycle(service, [1, 1]);
    const [, member] = people as [Person, Person];
    const { id } = await take(first, member, 10_000);
    for (let time = 0; time < 2; time += 1) expect(await decide(first, id, false)).to.equal(undefined);
    expect(await decide(first, id, true)).to.equal(undefined);
    expect((await service.contributions(president, first))[0]).to.deep.include({ id, status: 'failed' });
    expect((await service.contribute(member, first, 10_000)).status).to.equal(201);
    const types = (await world.events(association_id)).map((event) => event.type);
    expect(types.filter((type) => type === 'contribution.failed')).to.have.length(1);
  });

  it('refuses what it cannot take, and gives nothing back that was never taken', async () => {
    const { people, president, first } = await world.cycle(service, [1, 1]);
    const [, member] = people as [Person, Person];
    expect((await take({ ...first, id: world.newId() }, member, 1)).code).to.equal('not_found');
    expect((await take({ ...first, association_id: world.newId() }, member, 1)).code).to.equal('not_found');
    expect(await decide(first, world.newId(), false)).to.equal(undefined);
    expect(await decide(first, world.newId(), true)).to.equal('not_found');
    for (const person of people) await service.contribute(person, first, 10_000);
    const [by_wallet] = await service.contributions(president, first);
    expect(await decide(first, by_wallet!.id, true)).to.equal('not_found');
    await service.settle(president, first);
    expect((await take(first, member, 1)).code).to.equal('meeting_not_open');
  });

  it('is decided once when the board’s word comes several times at once, and not the same', async () => {
    const { association_id, people, first } = await world.cycle(service, [1, 1]);
    for (let run = 0; run < 5; run += 1) {
      const { id } = await take(first, people[1]!, 1_000);
      world.treasury.bringCash(association_id, first.id, id, 1_000);
      await Promise.all([true, false, true, false].map((paid) => decide(first, id, paid)));
    }
    const events = (await world.events(association_id)).filter((event) => event.type.startsWith('contribution.'));
    expect(events).to.have.length(5);
    const paid = events.filter((event) => event.type === 'contribution.paid').length;
    expect(await service.due(people[1]!, first)).to.deep.include({ paid: paid * 1_000 });
    expect((await take(first, people[1]!, 10_000 - paid * 1_000)).code).to.equal(undefined);
  });

  it('takes no more than the due however many are recorded at once', async () => {
    const { people, first } = await world.cycle(service, [1, 1]);
    const taken = await Promise.all(Array.from({ length: 8 }, () => take(first, people[1]!, 3_000)));
    expect(taken.filter((each) => each.code === undefined)).to.have.length(3);
    const id = world.newId();
    const same = await Promise.all(Array.from({ length: 5 }, () => take(first, people[0]!, 9_000, id)));
    expect(same.map((each) => each.code)).to.deep.equal(same.map(() => undefined));
  });

  it('keeps to its first outcome: what was refused is not taken by a call that comes late', async () => {
    const { people, first } = await world.cycle(service, [1, 1]);
    const [, member] = people as [Person, Person];
    const { id: taken } = await take(first, member, 10_000);
    const { id: refused, code } = await take(first, member, 1_000);
    expect(code).to.equal('contribution_exceeds_due');
    await decide(first, taken, false);
    expect((await take(first, member, 1_000, refused)).code).to.equal('contribution_exceeds_due');
    expect((await take(first, member, 10_000)).code).to.equal(undefined);
  });

  it('is in flight until it is decided: settling does not wait for people', async () => {
    const { people, president, first, second } = await world.cycle(service, [1, 1]);
    const [, member] = people as [Person, Person];
    await service.contribute(president, first, 10_000);
    const { id } = await take(first, member, 10_000);
    const began = Date.now();
    expect((await service.settle(president, first)).code).to.equal('contributions_in_flight');
    expect(Date.now() - began).to.be.below(300);
    expect(await service.statusOf(president, first)).to.equal('open');
    // Nor does recovery touch it, while it finishes a payment by wallet.
    world.treasury.mishaps.push('request_lost');
    await service.contribute(president, second, 1);
    const statusOf = async (meeting: Meeting) => (await service.contributions(president, meeting))[0]?.status;
    await world.recover('the wallet has paid', async () => (await statusOf(second)) === 'paid');
    expect(world.treasury.asked.get(id)).to.equal(undefined);
    await decide(first, id, false);
    expect((await service.settle(president, first)).code).to.equal('meeting_underfunded');
  });

  it('goes out as cash: over the payouts in rotation order wallet money first, then cash', async () => {
    const { association_id, people, president, first } = await world.cycle(service, [1, 1, 1, 1], { beneficiaries: 2 });
    const [a, b, c, d] = people as [Person, Person, Person, Person];
    await service.contribute(a, first, 10_000);
    await service.contribute(b, first, 10_000);
    await service.contribute(c, first, 5_000);
    await world.bringCash(service, first, c, 5_000);
    await world.bringCash(service, first, d, 10_000);
    const { body } = await service.settle(president, first);
    const { id: transfer_id } = body;
    expect(body.payouts).to.deep.equal([
      { member_id: a.member_id, wallet_id: a.wallet_id, method: 'wallet', amount: 20_000, transfer_id },
      { member_id: b.member_id, wallet_id: b.wallet_id, method: 'wallet', amount: 5_000, transfer_id },
      { member_id: b.member_id, wallet_id: null, method: 'cash', amount: 15_000, transfer_id },
    ]);
    const cash = (account: string) => world.treasury.balance(`${association_id}/${account}`);
    expect([cash(`cash_pool:${first.id}`), cash(`pool:${first.id}`)]).to.deep.equal([0, 0]);
    // 15 000 came in as cash, and went out as cash.
    expect(cash('cash_funding')).to.equal(0);
    const legs = world.treasury.inputs.get(transfer_id)!.legs;
    expect(legs.find((leg) => leg.account === 'cash_funding')?.member_id).to.equal(b.member_id);
    expect(world.wallet(b)).to.equal(995_000);
  });

  it('moves to the cash treasury outside a cycle', async () => {
    const association_id = world.membership.found({ type: 'solidarity' });
    const president = world.join(association_id);
    const meeting = await service.scheduleMeeting(president, association_id);
    await world.bringCash(service, meeting, president, 700);
    await service.contribute(president, meeting, 300);
    expect((await service.settle(president, meeting)).body).to.deep.include({ to_treasury_amount: 1_000, payouts: [] });
    const held = (account: string) => world.treasury.balance(`${association_id}/${account}`);
    expect([held('treasury'), held('cash_treasury')]).to.deep.equal([300, 700]);
  });
});
