import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { listContributions, type Contribution } from '../../../lib/contracts/contribution.ts';
import { transfer } from '../../../lib/contracts/treasury.ts';
import { problemCode, problemExtras } from '../../../lib/errors/problem.ts';
import { useContribution, type MeetingIds, type Person } from '../../harness/contribution.ts';
import { atOnce, outcomeOf, refusalOf } from '../../harness/refusal.ts';

/** Longer than a batch of requests waits for a lock. */
const LOCKED_MS = 500;

/** Enough that at least one payment is refused in the moment before another gives the due back. */
const GIVING_BACK_ROUNDS = 40;

describe('contribution: contributing', () => {
  const harness = useContribution();
  const { treasury } = harness;

  /** Reads the statuses of all contributions to a meeting, including refused contributions, which no list shows. */
  const stored = async ({ id }: MeetingIds) => {
    const rows = await harness.sql<{ status: string }>('SELECT status FROM contributions WHERE meeting_id = $1', id);
    return rows.map(({ status }) => status);
  };

  it('moves the due from the wallet of the payer into the pool of the meeting', async () => {
    const { president, first, association_id } = await harness.cycle([2, 1]);
    const { member_id, wallet_id } = president;
    const contribution = await harness.contribute(president, first, 20_000);
    const { id, paid_at } = contribution;
    const { status, location } = harness.headOf(contribution);
    expect(status).to.equal(201);
    expect(location).to.match(new RegExp(`/associations/${association_id}/meetings/${first.id}/contributions/${id}$`));
    expect(contribution).to.deep.equal({
      id,
      association_id,
      meeting_id: first.id,
      member_id,
      paid_by_member_id: member_id,
      wallet_id,
      amount: 20_000,
      currency: 'XAF',
      method: 'wallet',
      status: 'paid',
      outstanding: 0,
      transfer_id: id,
      paid_at,
      metadata: {},
    });
    expect(paid_at).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect([harness.inPool(first), harness.wallet(president)]).to.deep.equal([20_000, 980_000]);
    expect((await harness.getMeeting(president, first)).collected_amount).to.equal(20_000);
    expect((await harness.events(association_id)).at(-1)).to.deep.equal({
      type: 'contribution.paid',
      data: {
        contribution_id: id,
        meeting_id: first.id,
        member_id,
        paid_by_member_id: member_id,
        amount_minor: 20_000,
        currency: 'XAF',
        method: 'wallet',
        transfer_id: id,
      },
    });
    expect(await harness.getContribution(president, first, id)).to.deep.equal(contribution);
  });

  it('accepts payments in parts, in advance for a later round, and by a member for another member', async () => {
    const { people, second: later } = await harness.cycle([1, 1]);
    const [payer, other] = people as [Person, Person];
    expect((await harness.contribute(payer, later, 4_000)).outstanding).to.equal(6_000);
    const forOther = await harness.contribute(payer, later, 1_500, { for_member_id: other.member_id });
    expect(forOther).to.deep.include({ member_id: other.member_id, paid_by_member_id: payer.member_id });
    expect(forOther.outstanding).to.equal(8_500);
    expect((await harness.contribute(payer, later, 6_000)).outstanding).to.equal(0);
    expect(await harness.dues(payer, later)).to.deep.equal([
      { member_id: payer.member_id, due: 10_000, paid: 10_000, outstanding: 0, arrears: 0 },
      { member_id: other.member_id, due: 10_000, paid: 1_500, outstanding: 8_500, arrears: 0 },
    ]);
  });

  it('refuses more than the outstanding amount and reports that amount', async () => {
    const { association_id, president, first } = await harness.cycle([1, 1]);
    const exceeds = (outstanding: number) => ({ code: 'contribution_exceeds_due', extras: { outstanding } });
    expect(await refusalOf(harness.contribute(president, first, 10_001))).to.deep.equal(exceeds(10_000));
    await harness.contribute(president, first, 7_000);
    expect(await refusalOf(harness.contribute(president, first, 3_001))).to.deep.equal(exceeds(3_000));
    // A member who joined after the cycle started owes nothing.
    const late = harness.join(association_id);
    expect(await refusalOf(harness.contribute(late, first, 1_000))).to.deep.equal(exceeds(0));
    expect(await stored(first)).to.deep.equal(['paid']);
    expect(harness.inPool(first)).to.equal(7_000);
  });

  for (const [accepted, amount, times, fit] of [
    ['one of 12 concurrent payments of the full due', 10_000, 12, 1],
    ['as many concurrent partial payments as the due allows', 1_500, 20, 6],
  ] as const) {
    it(`accepts ${accepted}, and refuses the others`, async () => {
      const { people, president, first } = await harness.cycle([1, 1]);
      const pay = (payer: Person) => harness.contribute(payer, first, amount, { for_member_id: president.member_id });
      const replies = await Promise.allSettled(atOnce(times, (index) => pay(people[index % 2]!)));
      const refused = replies.filter((reply) => reply.status === 'rejected');
      expect(refused).to.have.length(times - fit);
      for (const { reason } of refused) {
        expect(problemCode(reason)).to.equal('contribution_exceeds_due');
        expect(problemExtras(reason)['outstanding']).to.be.below(amount);
      }
      expect(await harness.due(president, first)).to.deep.include({ paid: fit * amount });
      expect(harness.inPool(first)).to.equal(fit * amount);
      expect(await stored(first)).to.have.length(fit);
    });
  }

  it('refuses only what exceeds the due that is left, while payments that the ledger refuses give it back', async () => {
    const { people, president, first } = await harness.cycle([1, 1]);
    for (const { wallet_id } of people) harness.treasury.balances.set(`wallet:${wallet_id}`, 0n);
    const pay = (index: number) =>
      harness.contribute(people[index % 2]!, first, 10_000, { for_member_id: president.member_id });
    for (let round = 0; round < GIVING_BACK_ROUNDS; round += 1) {
      const replies = await Promise.allSettled(atOnce(8, pay));
      for (const reply of replies) {
        const reason: unknown = reply.status === 'rejected' ? reply.reason : undefined;
        expect(problemCode(reason)).to.be.oneOf(['insufficient_funds', 'contribution_exceeds_due']);
        const { outstanding = 0 } = problemExtras(reason);
        expect(outstanding).to.be.below(10_000);
      }
    }
  });

  it('refuses in the documented order of refusals and stores nothing', async () => {
    const { president, first, association_id } = await harness.cycle([1, 1]);
    const stranger = { ...president, user_id: 'stranger' };
    const elsewhere = { association_id, id: harness.newId() };
    const wrong = { pin: 'wrong' };
    const cases: [code: string, Person, MeetingIds, amount: number, body: object][] = [
      ['not_found', president, elsewhere, 1.5, wrong],
      ['not_found', stranger, first, 1.5, wrong],
      ['amount_precision', president, first, 1.5, wrong],
      ['pin_invalid', president, first, 99_999_999, wrong],
      ['not_found', president, first, 1_000, { for_member_id: harness.newId() }],
      ['not_found', president, first, 1_000, { for_member_id: 'no uuid' }],
      ['not_found', president, first, 1_000, { wallet_id: 'a\u0000b' }],
    ];
    for (const [index, [code, person, meeting, amount, body]] of cases.entries()) {
      expect(await outcomeOf(harness.contribute(person, meeting, amount, body)), String(index)).to.equal(code);
    }
    expect(await stored(first)).to.deep.equal([]);
    expect(treasury.received(transfer)).to.deep.equal([]);
  });

  it('passes on the refusal of the ledger, releases the due and lists no contribution', async () => {
    const { association_id, people, first } = await harness.cycle([1, 1]);
    const [rich, poor] = people as [Person, Person];
    const euros = treasury.openWallet(rich.user_id, 5_000, 'EUR');
    treasury.balances.set(`wallet:${poor.wallet_id}`, 9_999n);
    const cases: [code: string, Person, wallet_id: string][] = [
      ['insufficient_funds', poor, poor.wallet_id],
      ['wallet_currency_mismatch', rich, euros],
      ['not_found', rich, poor.wallet_id],
      ['not_found', rich, 'no-such-wallet'],
    ];
    for (const [code, payer, wallet_id] of cases) {
      expect(await outcomeOf(harness.contribute(payer, first, 10_000, { wallet_id }))).to.equal(code);
    }
    expect(new Set(await stored(first))).to.deep.equal(new Set(['refused']));
    expect(await harness.contributions(rich, first)).to.deep.equal([]);
    const [refused] = await harness.sql<{ id: string }>('SELECT id FROM contributions WHERE meeting_id = $1', first.id);
    expect(await outcomeOf(harness.getContribution(rich, first, refused!.id))).to.equal('not_found');
    expect(await harness.due(poor, first)).to.deep.include({ paid: 0, outstanding: 10_000 });
    expect(await harness.decisions(association_id)).to.deep.equal([]);
    // The released due can be paid.
    const paid = await harness.contribute(rich, first, 10_000, { for_member_id: poor.member_id });
    expect(paid.status).to.equal('paid');
  });

  it('accepts any amount at a meeting outside a cycle, but only for active members', async () => {
    const { association_id, president, meeting } = await harness.groupWithMeeting();
    const gone = harness.join(association_id, { status: 'left' });
    for (const amount of [1, 123_456, 123_456]) {
      expect((await harness.contribute(president, meeting, amount)).outstanding).to.equal(0);
    }
    const forGone = harness.contribute(president, meeting, 5, { for_member_id: gone.member_id });
    expect(await outcomeOf(forGone)).to.equal('not_found');
    expect(await harness.dues(president, meeting)).to.deep.equal([
      { member_id: president.member_id, due: 0, paid: 246_913, outstanding: 0, arrears: 0 },
    ]);
    expect((await harness.getMeeting(president, meeting)).collected_amount).to.equal(246_913);
  });

  it('creates contributions that are listed newest first, in pages', async () => {
    const { association_id, president, first } = await harness.cycle([1, 1]);
    for (const amount of [1, 2, 3, 4, 5]) await harness.contribute(president, first, amount);
    const path = { association_id, meeting_id: first.id };
    const listed = await harness.pages<Contribution>(president.user_id, listContributions, path, 2);
    expect(listed.map(({ amount }) => amount)).to.deep.equal([5, 4, 3, 2, 1]);
  });

  it('waits while a migration has locked a table', async () => {
    const { president, first } = await harness.cycle([2, 1]);
    let contributed: Promise<Contribution> | undefined;
    await harness.inTransaction(async (migrating) => {
      await migrating.query('LOCK TABLE meetings');
      contributed = harness.contribute(president, first, 20_000);
      await sleep(LOCKED_MS);
    });
    expect((await contributed!).status).to.equal('paid');
  });
});
