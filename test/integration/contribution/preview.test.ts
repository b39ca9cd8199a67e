import { expect } from 'chai';
import type { Meeting } from '../../../lib/contracts/contribution.ts';
import { until, useContribution } from '../../harness/contribution.ts';
import type { Person, Running, World } from '../../harness/contribution.ts';

describe('contribution: previewing a settlement', () => {
  let world: World;
  let service: Running;
  useContribution((made) => ({ world, service } = made));

  it('shows just what settling then does, and settling by its hash does that', async () => {
    const { people, president, first } = await world.cycle(service, [1, 1, 1], { shortfall: 'pay_collected' });
    for (const person of people.slice(0, 2)) await service.contribute(person, first, 10_000);
    // Any member may look.
    const { body: preview } = await service.preview(people[2]!, first);
    expect(preview).to.deep.include({ collected_amount: 20_000, shortfall_amount: 10_000, refused_for: null });
    expect(preview.preview_hash).to.match(/^[0-9a-f]{64}$/);
    const { body, status } = await service.settle(president, first, { preview_hash: preview.preview_hash });
    expect(status).to.equal(200);
    expect(body.payouts).to.deep.equal(preview.payouts.map((payout) => ({ ...payout, transfer_id: body.id })));
    expect(body.arrears).to.deep.equal(preview.arrears);
    expect(body.rules_version).to.equal(preview.rules_version);
    const posted = world.treasury.outcomes.get(body.id) as { record: { legs: object[] } };
    expect(posted.record.legs).to.deep.equal(preview.legs);
    expect((await service.preview(president, first)).code).to.equal('meeting_not_open');
  });

  it('says for what it would be refused, in the order of settling, and changes nothing', async () => {
    const { people, president, first, second } = await world.cycle(service, [1, 1]);
    const refusal = async (meeting: Meeting) => (await service.preview(president, meeting)).body.refused_for;
    expect(await refusal(second)).to.equal('earlier_round_open');
    expect(await refusal(first)).to.equal('meeting_underfunded');
    world.today = '2026-03-09';
    expect(await refusal(first)).to.equal('meeting_not_due');
    world.treasury.mishaps.push('request_lost');
    await service.contribute(people[1]!, first, 10_000);
    expect(await refusal(first)).to.equal('contributions_in_flight');
    expect(await service.statusOf(president, first)).to.equal('open');
  });

  it('is held against what is there when it settles: another hash is refused, in the contract’s order', async () => {
    const { people, president, first, second } = await world.cycle(service, [1, 1]);
    const { preview_hash } = (await service.preview(president, first)).body;
    // Underfunded as well: that the settlement has changed comes first, but after the rounds' order.
    await service.contribute(president, first, 1);
    expect((await service.settle(president, first, { preview_hash })).code).to.equal('settlement_changed');
    expect((await service.settle(president, second, { preview_hash })).code).to.equal('earlier_round_open');
    const now = (await service.preview(president, first)).body.preview_hash;
    expect((await service.settle(president, first, { preview_hash: now })).code).to.equal('meeting_underfunded');
    await service.contribute(president, first, 9_999);
    await service.contribute(people[1]!, first, 10_000);
    expect((await service.settle(president, first, { preview_hash: now })).code).to.equal('settlement_changed');
    expect(await service.statusOf(president, first)).to.equal('open');
    const right = (await service.preview(president, first)).body.preview_hash;
    expect((await service.settle(president, first, { preview_hash: right })).status).to.equal(200);
  });

  it('shows a set-off before it is made', async () => {
    const { people, president, first, second } = await world.cycle(service, [1, 1], { shortfall: 'pay_collected' });
    const [creditor, debtor] = people as [Person, Person];
    world.today = '2027-01-01';
    await service.contribute(creditor, first, 10_000);
    await service.settle(president, first);
    for (const person of people) await service.contribute(person, second, 10_000);
    const { body } = await service.preview(president, second);
    expect(body.payouts.map((payout) => [payout.member_id, payout.amount])).to.deep.equal([
      [creditor.member_id, 10_000],
      [debtor.member_id, 10_000],
    ]);
    // Once the debtor has paid it, settling would do something else.
    await service.contribute(debtor, first, 10_000);
    expect((await service.settle(president, second, { preview_hash: body.preview_hash })).code).to.equal(
      'settlement_changed',
    );
  });

  it('finds no meeting that is not there, and shows none that is settling', async () => {
    const { people, president, first, association_id } = await world.cycle(service, [1, 1]);
    expect((await service.preview(president, { association_id, id: world.newId() })).code).to.equal('not_found');
    expect((await service.preview({ ...president, user_id: 'stranger' }, first)).code).to.equal('not_found');
    world.treasury.mishaps.push('request_lost');
    await service.contribute(people[1]!, first, 10_000);
    const settling = service.settle(president, first);
    await until('it is settling', async () => {
      return (await service.statusOf(president, first)) === 'settling';
    });
    expect((await service.preview(president, first)).code).to.equal('meeting_not_open');
    await settling;
  });
});
