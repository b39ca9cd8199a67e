import { expect } from 'chai';
import type { Answer, CommandInput } from '../../../lib/contracts/action.ts';
import { meetingSummary, SUMMARY_MAX_MEMBERS, type Meeting } from '../../../lib/contracts/contribution.ts';
import { AMOUNT_MAX_MINOR } from '../../../lib/money/amount.ts';
import { LATER, PAY_COLLECTED, useContribution, type MeetingIds, type Person } from '../../harness/contribution.ts';
import { outcomeOf } from '../../harness/refusal.ts';

type Summary = Answer<typeof meetingSummary>;
type Page = Pick<CommandInput<typeof meetingSummary>, 'after_member_id' | 'limit'>;

/** Half of NATS's default limit of a message, as for pages of other lists. */
const MESSAGE_MAX_BYTES = 512 * 1024;

describe('contribution: the summary of a meeting', () => {
  const harness = useContribution(LATER);

  const summaryOf = ({ association_id, id: meeting_id }: MeetingIds, page: Page = {}): Promise<Summary> =>
    harness.command(meetingSummary, { association_id, meeting_id, ...page });
  const owes = ({ member_id }: Person, outstanding_minor: number, arrears_minor = 0) => {
    return { member_id, outstanding_minor, arrears_minor };
  };
  const gets = ({ member_id }: Person, expected_minor: number) => ({ member_id, expected_minor });
  const paid = ({ member_id }: Person, amount_minor: number, method: 'wallet' | 'cash' = 'wallet') => {
    return { member_id, amount_minor, method };
  };
  /** Reads all pages. */
  async function pagesOf(meeting: MeetingIds, limit: number): Promise<Summary[]> {
    const pages = [await summaryOf(meeting, { limit })];
    for (let next = pages[0]!.next_member_id; next !== null; next = pages.at(-1)!.next_member_id) {
      pages.push(await summaryOf(meeting, { limit, after_member_id: next }));
    }
    return pages;
  }
  const idsOf = ({ dues, beneficiaries, payouts }: Summary) =>
    new Set([...dues, ...beneficiaries, ...payouts].map(({ member_id }) => member_id));

  it('has the facts of the meeting', async () => {
    const { first } = await harness.cycle([1, 1]);
    const { id: meeting_id, cycle_id, round, title, due_on, status } = first;
    const facts = { meeting_id, cycle_id, round, title, due_on, status, currency: 'XAF', next_member_id: null };
    expect(await summaryOf(first)).to.deep.include(facts);
  });

  it('has only the members who still owe something of an open round, with what the list of dues shows', async () => {
    const cycle = await harness.cycle([1, 2, 1, 1]);
    const [all, some, none, cash] = cycle.people as [Person, Person, Person, Person];
    await harness.contribute(all, cycle.first, 10_000);
    await harness.contribute(all, cycle.first, 3_000, { for_member_id: some.member_id });
    await harness.bringCash(cycle.first, cash, 4_000);
    // What is in flight is not paid.
    await harness.takeCash(cycle.first, none, 10_000, harness.newId());
    const { dues } = await summaryOf(cycle.first);
    expect(dues).to.deep.equal([owes(some, 17_000), owes(none, 10_000), owes(cash, 6_000)]);
    const listed = (await harness.dues(all, cycle.first)).filter(({ outstanding }) => outstanding > 0);
    expect(listed.map(({ member_id, outstanding }) => [member_id, outstanding])).to.deep.equal(
      dues.map(({ member_id, outstanding_minor }) => [member_id, outstanding_minor]),
    );
  });

  it('has what members owe while the round is being settled, and its payouts only once they are made', async () => {
    const { president, member, first, pay } = await harness.cycle([1, 1], PAY_COLLECTED);
    await pay(first, [president]);
    harness.failAt('contribution.settlement.planned');
    await outcomeOf(harness.settle(president, first));
    const planned = await summaryOf(first);
    expect(planned).to.deep.include({ status: 'settling', dues: [owes(member, 10_000)], payouts: [] });
    await harness.recover(async () => {
      const settled = { status: 'settled', dues: [owes(member, 0, 10_000)], payouts: [paid(president, 10_000)] };
      expect(await summaryOf(first)).to.deep.include(settled);
    });
  });

  it('has the arrears from a settled round until they are paid, and not what a beneficiary would owe themselves', async () => {
    const rules = { ...PAY_COLLECTED, beneficiaries_per_meeting: 2 };
    const { people, president, first, pay } = await harness.cycle([1, 1, 1, 1], rules);
    const [, beneficiary, debtor] = people as [Person, Person, Person];
    await pay(first, [people[0]!, people[3]!]);
    await harness.settle(president, first);
    const { dues } = await summaryOf(first);
    expect(dues).to.deep.equal([owes(beneficiary, 0, 5_000), owes(debtor, 0, 10_000)]);
    const listed = (await harness.dues(president, first)).filter(({ arrears }) => arrears > 0);
    expect(listed.map(({ member_id, arrears }) => [member_id, arrears])).to.deep.equal(
      dues.map(({ member_id, arrears_minor }) => [member_id, arrears_minor]),
    );
    await harness.contribute(beneficiary, first, 5_000);
    await harness.contribute(debtor, first, 1_000);
    expect((await summaryOf(first)).dues).to.deep.equal([owes(debtor, 0, 9_000)]);
  });

  it('has nothing that is outstanding of a settled round of savings, which can no longer be paid', async () => {
    const group = harness.group([1, 1], { type: 'savings' });
    await harness.startCycle(group, { rounds: 2 });
    const [first] = (await harness.meetings(group)) as [Meeting];
    await harness.contribute(group.president, first, 10_000);
    expect((await summaryOf(first)).dues).to.deep.equal([owes(group.people[1]!, 10_000)]);
    await harness.settle(group.president, first);
    expect(await summaryOf(first)).to.deep.include({ dues: [], beneficiaries: [], payouts: [] });
  });

  it('has the members whose turn it is with their shares of the pot by the rule of settlements, before and after it', async () => {
    const group = harness.group([1, 2, 1], { contribution_amount_minor: 1_001 }, { beneficiaries_per_meeting: 4 });
    const [a, b, c] = group.people as [Person, Person, Person];
    await harness.startCycle(group);
    const [first] = (await harness.meetings(group)) as [Meeting];
    // A pot that does not divide: two units more than the shares.
    await harness.sql('UPDATE meetings SET expected_minor = 4006 WHERE id = $1', first.id);
    const beneficiaries = [gets(a, 1_002), gets(b, 2_003), gets(c, 1_001)];
    expect((await summaryOf(first)).beneficiaries).to.deep.equal(beneficiaries);
    await harness.sql('UPDATE meetings SET expected_minor = 4004 WHERE id = $1', first.id);
    for (const [person, hands] of [[a, 1] as const, [b, 2] as const, [c, 1] as const]) {
      await harness.contribute(person, first, hands * 1_001);
    }
    await harness.settle(a, first);
    const settled = await summaryOf(first);
    expect(settled.beneficiaries).to.deep.equal([gets(a, 1_001), gets(b, 2_002), gets(c, 1_001)]);
    expect(settled.payouts).to.deep.equal([paid(a, 1_001), paid(b, 2_002), paid(c, 1_001)]);
  });

  it('has what each member was paid by each method, also from what a beneficiary owed them', async () => {
    const cycle = await harness.cycleWithArrears();
    const { creditor, debtor, first, second } = cycle;
    expect((await summaryOf(first)).payouts).to.deep.equal([paid(creditor, 10_000)]);
    expect((await summaryOf(second)).payouts).to.deep.equal([]);
    await harness.contribute(creditor, second, 10_000);
    await harness.contribute(debtor, second, 2_000);
    await harness.bringCash(second, debtor, 8_000);
    await harness.settle(creditor, second);
    // The debtor's turn: 12 000 of e-money pay off the arrears first.
    expect(await summaryOf(second)).to.deep.include({
      beneficiaries: [gets(debtor, 20_000)],
      payouts: [paid(creditor, 10_000), paid(debtor, 2_000), paid(debtor, 8_000, 'cash')],
    });
  });

  it('has the savings that its last round returns', async () => {
    const group = harness.group([1, 1], { type: 'savings' });
    await harness.startCycle(group, { rounds: 1 });
    const [last] = (await harness.meetings(group)) as [Meeting];
    await harness.contribute(group.president, last, 10_000);
    await harness.contribute(group.people[1]!, last, 4_000);
    await harness.settle(group.president, last);
    expect((await summaryOf(last)).payouts).to.deep.equal([
      paid(group.president, 10_000),
      paid(group.people[1]!, 4_000),
    ]);
  });

  it('has no members outside a cycle, where nothing is due, not even those who have paid or were refunded', async () => {
    const { president, member, meeting } = await harness.groupWithMeeting();
    await harness.contribute(member, meeting, 500);
    expect(await harness.dues(president, meeting)).to.have.length(1);
    const noMembers = { cycle_id: null, round: null, dues: [], beneficiaries: [], payouts: [], next_member_id: null };
    expect(await summaryOf(meeting)).to.deep.include(noMembers);
    await harness.cancel(president, meeting);
    expect(await summaryOf(meeting)).to.deep.include({ ...noMembers, status: 'cancelled' });
  });

  describe('in pages', () => {
    it('has each member on one page with all that concerns them, in pages that are full', async () => {
      const open = await harness.cycle([1, 1, 1, 1, 1], { beneficiaries_per_meeting: 5 });
      await open.pay(open.first, [open.people[1]!, open.people[3]!]);
      const rules = { ...PAY_COLLECTED, beneficiaries_per_meeting: 4 };
      const settled = await harness.cycle([1, 1, 1, 1], rules);
      await harness.bringCash(settled.first, settled.people[0]!, 10_000);
      await settled.pay(settled.first, settled.people.slice(1, 3));
      await harness.settle(settled.president, settled.first);
      for (const { first: meeting, people } of [open, settled]) {
        const whole = await summaryOf(meeting);
        expect(idsOf(whole).size).to.equal(people.length);
        for (let limit = 1; limit <= people.length + 1; limit += 1) {
          const pages = await pagesOf(meeting, limit);
          const ids = pages.map((page) => [...idsOf(page)].sort());
          expect(ids.slice(0, -1).every(({ length }) => length === limit)).to.equal(true);
          expect(ids.flat()).to.deep.equal([...idsOf(whole)].sort());
          for (const list of ['dues', 'beneficiaries', 'payouts'] as const) {
            expect(pages.flatMap((page): object[] => page[list])).to.deep.equal(whole[list]);
          }
        }
      }
    });

    it('of the largest group fits into messages, while all owe and when all are paid in both ways', async () => {
      const group = harness.group([1, 1], { type: 'savings' });
      await harness.startCycle(group, { rounds: 1 });
      const [meeting] = (await harness.meetings(group)) as [Meeting];
      await harness.sql(
        `INSERT INTO cycle_members (cycle_id, member_id, hands, ordinal, due_minor)
         SELECT $1, gen_random_uuid(), 20, 1000 + n, $2 FROM generate_series(1, 9998) AS n`,
        meeting.cycle_id,
        String(AMOUNT_MAX_MINOR),
      );
      const expectWhole = async (list: 'dues' | 'payouts', lines: number) => {
        const pages = await pagesOf(meeting, SUMMARY_MAX_MEMBERS);
        expect(pages).to.have.length(5);
        expect(new Set(pages.flatMap((page) => [...idsOf(page)])).size).to.equal(10_000);
        expect(pages.flatMap((page): object[] => page[list])).to.have.length(lines);
        for (const page of pages) expect(Buffer.byteLength(JSON.stringify(page))).to.be.below(MESSAGE_MAX_BYTES);
      };
      await expectWhole('dues', 10_000);
      await harness.contribute(group.president, meeting, 1);
      await harness.settle(group.president, meeting);
      await harness.sql(
        `UPDATE settlements SET payouts = (
           SELECT json_agg(json_build_object('member_id', member_id, 'method', method, 'wallet_id', NULL, 'amount_minor', $2::bigint))
           FROM cycle_members, unnest('{wallet,cash}'::text[]) AS method WHERE cycle_id = $1
         ) WHERE meeting_id = $3`,
        meeting.cycle_id,
        String(AMOUNT_MAX_MINOR),
        meeting.id,
      );
      await expectWhole('payouts', 20_000);
    });

    it('has at most as many members as the limit permits', async () => {
      const { first } = await harness.cycle([1, 1]);
      for (const limit of [0, SUMMARY_MAX_MEMBERS + 1, 1.5]) {
        await summaryOf(first, { limit }).then(
          () => expect.fail(`accepted ${String(limit)}`),
          (error: unknown) => expect(error).to.have.property('type', 'VALIDATION_ERROR'),
        );
      }
    });
  });

  it('is not found for a meeting of another association, and for an unknown one', async () => {
    const { first } = await harness.cycle([1, 1]);
    const elsewhere = harness.group([1, 1]);
    for (const wrong of [{ association_id: elsewhere.association_id }, { id: harness.newId() }, { id: 'no-id' }]) {
      expect(await outcomeOf(summaryOf({ ...first, ...wrong }))).to.equal('not_found');
    }
  });
});
