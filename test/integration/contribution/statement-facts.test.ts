import { expect } from 'chai';
import { statementFacts, type Meeting } from '../../../lib/contracts/contribution.ts';
import { transfer } from '../../../lib/contracts/treasury.ts';
import { LATER, PAY_COLLECTED, useContribution, type Person } from '../../harness/contribution.ts';

describe('contribution: facts for statements', () => {
  const harness = useContribution(LATER);

  const factsOf = (association_id: string, { member_id }: Person, transfer_ids: string[] = []) =>
    harness.command(statementFacts, { association_id, member_id, transfer_ids });
  const reference = ({ id, round, title, due_on }: Meeting) => ({ id, round, title, due_on });

  it('name the meeting of contributions, arrears payments, settlements and refunds of the same association', async () => {
    const cycle = await harness.cycleWithArrears();
    const { association_id, creditor, debtor, first, settlement } = cycle;
    const paid = (await harness.contributions(creditor, first))[0]!.id;
    const late = (await harness.contribute(debtor, first, 4_000)).id;
    const kitty = await harness.scheduleMeeting(cycle, { title: 'Kitty' });
    const given = (await harness.contribute(debtor, kitty, 5)).id;
    await harness.cancel(creditor, kitty);
    const refund = harness.treasury.received(transfer).at(-1)!.id;

    const ids = [paid, settlement.id, late, given, refund];
    const { meetings } = await factsOf(association_id, debtor, [...ids, association_id]);
    const transfersOf = (id: string) => meetings.find(({ meeting }) => meeting.id === id)?.transfer_ids;
    expect(meetings.map(({ meeting }) => meeting)).to.have.deep.members([first, kitty].map(reference));
    expect(transfersOf(first.id)).to.have.members([paid, settlement.id, late]);
    expect(transfersOf(kitty.id)).to.have.members([given, refund]);
    const elsewhere = harness.group([1, 1]);
    expect((await factsOf(elsewhere.association_id, debtor, ids)).meetings).to.deep.equal([]);
  });

  it('report what a member owes and is owed, by round and in total', async () => {
    const { association_id, people, president, first, second, pay } = await harness.cycle([1, 1, 1], PAY_COLLECTED);
    const [a, b, debtor] = people as [Person, Person, Person];
    // b does not pay the first round, the debtor pays neither round; b is the beneficiary of the second round.
    await pay(first, [a]);
    const one = await harness.settle(president, first);
    await pay(second, [a, b]);
    const two = await harness.settle(president, second);
    await harness.contribute(debtor, first, 8_000);

    expect(await factsOf(association_id, debtor)).to.deep.include({
      owes_minor: 12_000,
      is_owed_minor: 0,
      arrears: [
        { meeting: reference(first), owes_minor: 2_000, is_owed_minor: 0, since: one.settled_at },
        { meeting: reference(second), owes_minor: 10_000, is_owed_minor: 0, since: two.settled_at },
      ],
    });
    // What b owed to a was deducted from b's own payout.
    expect(await factsOf(association_id, b)).to.deep.include({ owes_minor: 0, is_owed_minor: 10_000 });
    expect(await factsOf(association_id, a)).to.deep.include({ owes_minor: 0, is_owed_minor: 2_000 });
    await harness.contribute(debtor, first, 2_000);
    expect((await factsOf(association_id, a)).arrears).to.deep.equal([]);
  });
});
