import { expect } from 'chai';
import { listArrears } from '../../../lib/contracts/contribution.ts';
import { transfer } from '../../../lib/contracts/treasury.ts';
import { LATER, PAY_COLLECTED, useContribution, type Group, type Person } from '../../harness/contribution.ts';
import { outcomeOf } from '../../harness/refusal.ts';

describe('contribution: the list of arrears', () => {
  const harness = useContribution(LATER);

  /** Three members have two hands each, of which three are paid in each round. In the first one, for a, a and b, c does not pay. */
  async function groupWithArrears() {
    const group = await harness.cycle([2, 2, 2], { ...PAY_COLLECTED, beneficiaries_per_meeting: 3 });
    const [a, b, c] = group.people as [Person, Person, Person];
    const { first, second } = group;
    await group.pay(first, [a, b]);
    await harness.settle(a, first);
    return { ...group, a, b, c, first, second };
  }

  const page = ({ association_id, president }: Group, query: object = {}, user_id = president.user_id) =>
    harness.as(user_id, listArrears, { path: { association_id }, query: { limit: 50, ...query } });
  const listed = async (group: Group, query: object = {}) =>
    (await page(group, query)).data.map((each) => [each.meeting_id, each.member_id, each.creditor_id, each.amount]);

  it('shows what is not paid, who is owed it and since when', async () => {
    const group = await groupWithArrears();
    const { a, b, c, first } = group;
    const { settled_at } = await harness.getSettlement(a, first);
    const owed = (creditor_id: string, amount: number) => {
      return { meeting_id: first.id, member_id: c.member_id, creditor_id, amount, since: settled_at };
    };
    // Two thirds of the pot are a's, one third b's.
    expect(await page(group)).to.deep.equal({
      data: [owed(a.member_id, 13_333), owed(b.member_id, 6_667)],
      next_cursor: null,
    });
    await harness.contribute(c, first, 13_333);
    expect((await page(group)).data).to.deep.equal([owed(b.member_id, 6_667)]);
    await harness.contribute(b, first, 1_667, { for_member_id: c.member_id });
    expect((await page(group)).data).to.deep.equal([owed(b.member_id, 5_000)]);
    await harness.contribute(c, first, 5_000);
    expect((await page(group)).data).to.deep.equal([]);
  });

  it('counts as unpaid what is in flight', async () => {
    const group = await groupWithArrears();
    const before = await listed(group);
    harness.treasury.next(transfer, 'request_lost');
    expect((await harness.contribute(group.c, group.first, 5_000)).status).to.equal('pending');
    expect(await listed(group)).to.deep.equal(before);
  });

  it('is in the order of settlements, meetings, debtors and creditors, in pages, and filtered by debtor and creditor', async () => {
    const group = await groupWithArrears();
    const { association_id, a, b, c, first, second } = group;
    // In the second round, b and c receive; a and b have not paid.
    await group.pay(second, [c]);
    harness.clock.offset_ms += 1_000;
    await harness.settle(a, second);
    const all = await listed(group);
    const rank = new Map([first.id, second.id].map((id, index) => [id, String(index)]));
    const sorted = all.toSorted((one, other) => {
      const [left, right] = [one, other].map(([meeting, ...rest]) => [rank.get(String(meeting)), ...rest].join());
      return left! < right! ? -1 : 1;
    });
    expect(all).to.deep.equal(sorted);
    expect(all.length).to.be.above(3);
    for (const limit of [1, 2, 3]) {
      const pages = await harness.pages<{ meeting_id: string; member_id: string; creditor_id: string; amount: number }>(
        a.user_id,
        listArrears,
        { association_id },
        limit,
      );
      expect(pages.map((each) => [each.meeting_id, each.member_id, each.creditor_id, each.amount])).to.deep.equal(all);
    }
    for (const member_id of [undefined, a.member_id, b.member_id, c.member_id, harness.newId(), 'nothing']) {
      for (const creditor_id of [undefined, a.member_id, b.member_id, c.member_id, harness.newId(), 'nothing']) {
        const query = { ...(member_id && { member_id }), ...(creditor_id && { creditor_id }) };
        const expected = all.filter(
          ([, debtor, creditor]) =>
            (member_id === undefined || debtor === member_id) &&
            (creditor_id === undefined || creditor === creditor_id),
        );
        expect(await listed(group, query), JSON.stringify(query)).to.deep.equal(expected);
      }
    }
  });

  it('has cursors that are bound to the filters', async () => {
    const group = await groupWithArrears();
    const { a, c } = group;
    const { next_cursor: cursor } = await page(group, { limit: 1 });
    expect(await outcomeOf(page(group, { cursor }))).to.equal('done');
    for (const filter of [{ member_id: c.member_id }, { creditor_id: a.member_id }]) {
      expect(await outcomeOf(page(group, { cursor, ...filter }))).to.equal('validation_failed');
    }
    const swapped = await page(group, { limit: 1, member_id: c.member_id });
    const other = page(group, { cursor: swapped.next_cursor, creditor_id: c.member_id });
    expect(await outcomeOf(other)).to.equal('validation_failed');
  });

  it('is that of one association, and not found for others than its members', async () => {
    const [group, other] = [await groupWithArrears(), await groupWithArrears()];
    expect(await listed(other, { member_id: group.c.member_id })).to.deep.equal([]);
    expect(await outcomeOf(page(group, {}, 'stranger'))).to.equal('not_found');
    expect(await outcomeOf(page(group, {}, other.a.user_id))).to.equal('not_found');
  });
});
