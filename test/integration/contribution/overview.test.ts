import { expect } from 'chai';
import { assessFine, overview, payFine, type Meeting, type OwnFigures } from '../../../lib/contracts/contribution.ts';
import { OVERVIEW_MAX_ARREARS, OVERVIEW_MAX_DUES } from '../../../lib/contracts/overview.ts';
import { AMOUNT_MAX_MINOR } from '../../../lib/money/amount.ts';
import { RIGHT_PIN } from '../../harness/fakes/membership.ts';
import { LATER, PAY_COLLECTED, useContribution, type Person } from '../../harness/contribution.ts';

const NOTHING = { dues: [], owes: 0, is_owed: 0, arrears: [], fines_outstanding: 0, fines: [], next_turn: null };

describe('contribution: the overview of a user', () => {
  const harness = useContribution(LATER);

  const membershipOf = (association_id: string, { member_id }: Person, currency = 'XAF') => {
    return { association_id, member_id, currency };
  };
  async function figuresOf(association_id: string, person: Person, currency?: string): Promise<OwnFigures> {
    const { associations } = await harness.command(overview, {
      memberships: [membershipOf(association_id, person, currency)],
    });
    expect(associations.map((each) => each.association_id)).to.deep.equal([association_id]);
    return associations[0]!;
  }
  const dueOf = ({ id: meeting_id, cycle_id, round, title, due_on }: Meeting, due: number, paid: number) => {
    return { meeting_id, cycle_id, round, title, due_on, due, paid, outstanding: due - paid };
  };
  const reference = ({ id, round, title, due_on }: Meeting) => ({ id, round, title, due_on });

  it('shows the fines that are due, without those that are paid', async () => {
    const fines = [{ code: 'phone', trigger: 'manual', amount: 300, grace_days: 0, repeat: 'once' }] as const;
    const { association_id, president, member, first } = await harness.cycle([1, 1], { fines: [...fines] });
    const assess = (body: { meeting_id?: string }) =>
      harness.as(president.user_id, assessFine, {
        path: { association_id },
        body: { member_id: member.member_id, code: 'phone', reason: 'It rang', ...body },
      });
    const [due, paid] = [await assess({ meeting_id: first.id }), await assess({})];
    await harness.as(member.user_id, payFine, {
      path: { association_id, fine_id: paid.id },
      body: { wallet_id: member.wallet_id, amount: 300, pin: RIGHT_PIN },
    });
    const shown = await figuresOf(association_id, member);
    const { id: fine_id, code, meeting_id, assessed_at } = due;
    expect(shown.fines).to.deep.equal([{ fine_id, code, meeting_id, outstanding: 300, assessed_at }]);
    expect(shown.fines_outstanding).to.equal(300);
  });

  it('shows the largest amount for fines whose sum no bigint holds', async () => {
    const { association_id, member } = await harness.cycle([1, 1]);
    await harness.sql(
      `INSERT INTO fines (id, association_id, member_id, code, meeting_id, period, currency, amount_minor, taken_minor,
         paid_minor, status, rules_version, assessed_at)
       SELECT gen_random_uuid(), $1, $2, 'late', NULL, 1, 'XAF', $3, 0, 0, 'due', 1, now() FROM generate_series(1, 9300)`,
      association_id,
      member.member_id,
      String(AMOUNT_MAX_MINOR),
    );
    expect((await figuresOf(association_id, member)).fines_outstanding).to.equal(Number(AMOUNT_MAX_MINOR));
  });

  describe('shows dues', () => {
    it('of the rounds that are not settled, soonest first, without those that are paid in full', async () => {
      const { association_id, people, president, meetings, pay } = await harness.cycle([1, 2, 1]);
      const [first, second, third, fourth] = meetings as [Meeting, Meeting, Meeting, Meeting];
      const payer = people[1]!;
      await pay(first);
      await harness.settle(president, first);
      await harness.contribute(payer, second, 20_000);
      await harness.contribute(payer, fourth, 5_000);
      const { dues } = await figuresOf(association_id, payer);
      expect(dues).to.deep.equal([dueOf(third, 20_000, 0), dueOf(fourth, 20_000, 5_000)]);
    });

    it('with what others and cash have paid, but not with what is in flight', async () => {
      const { association_id, president, member, first } = await harness.cycle([1, 1]);
      await harness.contribute(president, first, 3_000, { for_member_id: member.member_id });
      await harness.bringCash(first, member, 2_000);
      await harness.takeCash(first, member, 1_000, harness.newId());
      const { dues } = await figuresOf(association_id, member);
      expect(dues[0]).to.include({ due: 10_000, paid: 5_000, outstanding: 5_000 });
    });

    it('until the round is settled, also while it is being settled', async () => {
      const { association_id, president, member, first, second } = await harness.cycle([1, 1], PAY_COLLECTED);
      await harness.sql(
        `UPDATE meetings SET status = 'settling', attempt_id = id, settling_since = now() WHERE id = $1`,
        first.id,
      );
      expect((await figuresOf(association_id, member)).dues).to.deep.include(dueOf(first, 10_000, 0));
      await harness.sql(
        `UPDATE meetings SET status = 'open', attempt_id = NULL, settling_since = NULL WHERE id = $1`,
        first.id,
      );
      await harness.settle(president, first);
      expect((await figuresOf(association_id, member)).dues).to.deep.equal([dueOf(second, 10_000, 0)]);
    });

    it('of savings, at most as many as the limit', async () => {
      const terms = { type: 'savings', contribution_frequency: 'daily' } as const;
      const group = harness.group([1, 1], terms);
      await harness.startCycle(group, { rounds: OVERVIEW_MAX_DUES + 1 });
      const { dues, next_turn } = await figuresOf(group.association_id, group.president);
      const rounds = Array.from({ length: OVERVIEW_MAX_DUES }, (_, index) => index + 1);
      expect(dues.map(({ round }) => round)).to.deep.equal(rounds);
      expect(next_turn).to.equal(null);
    });

    it('neither outside a cycle, nor for a member who takes part from the next cycle on', async () => {
      const cycle = await harness.cycle([1, 1]);
      const joined = harness.join(cycle.association_id);
      const kitty = await harness.scheduleMeeting(cycle, { title: 'Kitty' });
      await harness.contribute(joined, kitty, 500);
      expect(await figuresOf(cycle.association_id, joined)).to.deep.include(NOTHING);
      const { association_id, member } = await harness.groupWithMeeting();
      expect(await figuresOf(association_id, member)).to.deep.include(NOTHING);
    });

    it('in the major unit of the currency', async () => {
      const group = harness.group([1, 1], { currency: 'EUR', contribution_amount_minor: 1_250 });
      await harness.startCycle(group);
      const { dues, next_turn } = await figuresOf(group.association_id, group.president, 'EUR');
      expect(dues[0]).to.include({ due: 12.5, outstanding: 12.5 });
      expect(next_turn).to.include({ expected_amount: 25 });
    });
  });

  it('shows what a member owes from settled rounds and is owed, as the statement does', async () => {
    const cycle = await harness.cycle([1, 1, 1], PAY_COLLECTED);
    const { association_id, people, president, first, second, pay } = cycle;
    const [a, b, debtor] = people as [Person, Person, Person];
    await pay(first, [a]);
    const one = await harness.settle(president, first);
    await pay(second, [a, b]);
    const two = await harness.settle(president, second);
    await harness.contribute(debtor, first, 8_000);

    expect(await figuresOf(association_id, debtor)).to.deep.include({
      owes: 12_000,
      is_owed: 0,
      arrears: [
        { meeting: reference(first), amount: 2_000, since: one.settled_at },
        { meeting: reference(second), amount: 10_000, since: two.settled_at },
      ],
    });
    // What b owed to a was deducted from b's own payout.
    expect(await figuresOf(association_id, b)).to.deep.include({ owes: 0, is_owed: 10_000, arrears: [] });
    expect(await figuresOf(association_id, a)).to.deep.include({ owes: 0, is_owed: 2_000, arrears: [] });
    await harness.contribute(debtor, first, 2_000);
    expect((await figuresOf(association_id, debtor)).arrears.map(({ meeting }) => meeting.id)).to.deep.equal([
      second.id,
    ]);
  });

  it('shows arrears from at most as many rounds as the limit, the oldest, and the total of all', async () => {
    const group = harness.group([1, 1], { type: 'savings', contribution_frequency: 'daily' });
    const { association_id, president, people } = group;
    await harness.startCycle(group, { rounds: OVERVIEW_MAX_ARREARS + 1 });
    await harness.sql(
      `INSERT INTO arrears (meeting_id, debtor_id, creditor_id, association_id, rank, amount_minor, settled_at)
       SELECT id, $2, $3, association_id, 0, 100, due_on FROM meetings WHERE association_id = $1`,
      association_id,
      president.member_id,
      people[1]!.member_id,
    );
    const { arrears, owes } = await figuresOf(association_id, president);
    const rounds = Array.from({ length: OVERVIEW_MAX_ARREARS }, (_, index) => index + 1);
    expect(arrears.map(({ meeting }) => meeting.round)).to.deep.equal(rounds);
    expect(owes).to.equal((OVERVIEW_MAX_ARREARS + 1) * 100);
  });

  it('shows arrears after the cycle, from several beneficiaries of a round as one', async () => {
    const rules = { ...PAY_COLLECTED, beneficiaries_per_meeting: 3, amount: 1_001 };
    const { association_id, people, president, first, pay } = await harness.cycle([1, 1, 1], rules);
    await pay(first, people.slice(0, 2));
    await harness.settle(president, first);
    const figures = await figuresOf(association_id, people[2]!);
    // What the debtor would owe themselves is void.
    expect(figures).to.deep.include({ dues: [], next_turn: null });
    expect(figures.owes).to.equal(figures.arrears.reduce((sum, { amount }) => sum + amount, 0));
    expect(figures.arrears.map(({ meeting }) => meeting)).to.deep.equal([reference(first)]);
  });

  describe('shows the next turn', () => {
    it('with the share of the pot if all pay, by the rule of settlements', async () => {
      const { association_id, people, meetings, president, pay } = await harness.cycle([1, 1, 2], {
        amount: 1_001,
        beneficiaries_per_meeting: 2,
      });
      const [first, second] = meetings as [Meeting, Meeting];
      const [a, b, c] = people as [Person, Person, Person];
      const turn = ({ id: meeting_id, cycle_id, round, due_on }: Meeting, expected_amount: number) => ({
        next_turn: { cycle_id, meeting_id, round, due_on, expected_amount },
      });
      const turnOf = async (person: Person) => figuresOf(association_id, person);
      // 4 004 for two hands; both hands of c are paid in the second round.
      expect(await turnOf(a)).to.deep.include(turn(first, 2_002));
      expect(await turnOf(b)).to.deep.include(turn(first, 2_002));
      expect(await turnOf(c)).to.deep.include(turn(second, 4_004));
      await pay(first);
      await harness.settle(president, first);
      expect(await turnOf(a)).to.deep.include({ next_turn: null });
      expect(await turnOf(c)).to.deep.include(turn(second, 4_004));
    });

    it('with the remainder for the first hands', async () => {
      const group = harness.group([1, 1, 1], { contribution_amount_minor: 1 }, { beneficiaries_per_meeting: 3 });
      const [a, b, c] = group.people as [Person, Person, Person];
      await harness.startCycle(group);
      // A pot that does not divide: one unit more than the shares.
      await harness.sql('UPDATE meetings SET expected_minor = 4 WHERE association_id = $1', group.association_id);
      const expected = async (person: Person) =>
        (await figuresOf(group.association_id, person)).next_turn?.expected_amount;
      expect([await expected(a), await expected(b), await expected(c)]).to.deep.equal([2, 1, 1]);
    });

    it('of a member with several hands: the first round of theirs that is not settled', async () => {
      const { association_id, president, meetings, pay } = await harness.cycle([2, 1]);
      const [first, second] = meetings as [Meeting, Meeting];
      const nextRound = async () => (await figuresOf(association_id, president)).next_turn?.meeting_id;
      expect(await nextRound()).to.equal(first.id);
      await pay(first);
      await harness.settle(president, first);
      expect(await nextRound()).to.equal(second.id);
    });
  });

  it('shows each of several associations separately', async () => {
    const one = await harness.cycle([1, 1]);
    const other = await harness.cycleWithArrears();
    const empty = harness.group([1, 1]);
    const { associations } = await harness.command(overview, {
      memberships: [
        membershipOf(one.association_id, one.member),
        membershipOf(empty.association_id, empty.president),
        membershipOf(other.association_id, other.debtor),
        // A member of another association.
        membershipOf(harness.newId(), one.member),
      ],
    });
    const found = new Map(associations.map((each) => [each.association_id, each]));
    expect(found.get(one.association_id)!.dues.map(({ meeting_id }) => meeting_id)).to.deep.equal(
      one.meetings.map(({ id }) => id),
    );
    expect(found.get(other.association_id)).to.include({ owes: 10_000 });
    expect(found.get(empty.association_id)).to.deep.include(NOTHING);
    expect(found.size).to.equal(4);
  });
});
