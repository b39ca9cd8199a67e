import { expect } from 'chai';
import type { Answer } from '../../../lib/contracts/action.ts';
import { statementFacts } from '../../../lib/contracts/contribution.ts';
import type { Meeting } from '../../../lib/contracts/contribution.ts';
import { LATER, useContribution } from '../../harness/contribution.ts';
import type { Person, Running, World } from '../../harness/contribution.ts';

describe('contribution: what statements say of meetings and arrears', () => {
  let world: World;
  let service: Running;
  useContribution((made) => ({ world, service } = made), LATER);

  const facts = (association_id: string, { member_id }: Person, transfer_ids: string[] = []) =>
    service.broker.call<Answer<typeof statementFacts>, object>(statementFacts.name, {
      ...{ association_id, member_id, transfer_ids },
    });
  const reference = ({ id, round, title, due_on }: Meeting) => ({ id, round, title, due_on });

  it('name the meeting of contributions, payments of arrears, settlements and refunds, of this association alone', async () => {
    const { association_id, president, people, first } = await world.cycle(service, [1, 1], {
      shortfall: 'pay_collected',
    });
    const debtor = people[1]!;
    const paid = (await service.contribute(president, first, 10_000)).body.id;
    const settled = (await service.settle(president, first)).body.id;
    const late = (await service.contribute(debtor, first, 4_000)).body.id;
    const kitty = await service.scheduleMeeting(president, association_id, { title: 'Kitty' });
    const given = (await service.contribute(debtor, kitty, 5)).body.id;
    expect((await service.cancel(president, kitty)).status).to.equal(200);
    const refund = [...world.treasury.inputs.values()].find((input) => input.kind === 'meeting_refund')!.id;

    const { meetings } = await facts(association_id, debtor, [paid, settled, late, given, refund, association_id]);
    const told = new Map(meetings.map(({ meeting, transfer_ids }) => [meeting.id, { meeting, transfer_ids }]));
    expect(told.get(first.id)?.meeting).to.deep.equal(reference(first));
    expect(told.get(first.id)?.transfer_ids).to.have.members([paid, settled, late]);
    expect(told.get(kitty.id)?.meeting).to.deep.equal(reference(kitty));
    expect(told.get(kitty.id)?.transfer_ids).to.have.members([given, refund]);
    expect(told.size).to.equal(2);
    const elsewhere = world.tontine([1, 1]);
    expect((await facts(elsewhere.association_id, debtor, [paid, settled])).meetings).to.deep.equal([]);
  });

  it('say what a member owes and is owed, by round and in all', async () => {
    const { association_id, president, people, first, second } = await world.cycle(service, [1, 1, 1], {
      shortfall: 'pay_collected',
    });
    const [a, b, debtor] = people as [Person, Person, Person];
    // b misses the first round, the debtor both; b is the second one's beneficiary.
    await service.contribute(a, first, 10_000);
    const one = (await service.settle(president, first)).body;
    for (const person of [a, b]) await service.contribute(person, second, 10_000);
    const two = (await service.settle(president, second)).body;
    await service.contribute(debtor, first, 8_000);

    expect(await facts(association_id, debtor)).to.deep.include({
      owes_minor: 12_000,
      is_owed_minor: 0,
      arrears: [
        { meeting: reference(first), owes_minor: 2_000, is_owed_minor: 0, since: one.settled_at },
        { meeting: reference(second), owes_minor: 10_000, is_owed_minor: 0, since: two.settled_at },
      ],
    });
    // What b owed to a was set off at b's own turn.
    expect(await facts(association_id, b)).to.deep.include({ owes_minor: 0, is_owed_minor: 10_000 });
    expect(await facts(association_id, a)).to.deep.include({ owes_minor: 0, is_owed_minor: 2_000 });
    await service.contribute(debtor, first, 2_000);
    const { arrears } = await facts(association_id, a);
    expect(arrears).to.deep.equal([]);
  });
});
