import { expect } from 'chai';
import type { Meeting } from '../../../lib/contracts/contribution.ts';
import { transfer } from '../../../lib/contracts/treasury.ts';
import { useContribution, type Person } from '../../harness/contribution.ts';
import { atOnce, outcomeOf, outcomesOf, refusalOf } from '../../harness/refusal.ts';

describe('contribution: cash', () => {
  const harness = useContribution();
  const { treasury } = harness;

  /** Records cash that the meeting must accept, and returns its id. */
  const record = async (meeting: Meeting, person: Person, amount_minor: number) => {
    const id = harness.newId();
    await harness.takeCash(meeting, person, amount_minor, id);
    return id;
  };
  /** Tries to record cash, and returns `done` or the code of the refusal. */
  const recording = (meeting: Meeting, person: Person, amount_minor: number, id = harness.newId()) =>
    outcomeOf(harness.takeCash(meeting, person, amount_minor, id));

  it('reserves the due when it is recorded and counts as paid when it is confirmed; repeats change nothing', async () => {
    const { association_id, president, member, first } = await harness.cycle([1, 1]);
    const { member_id } = member;
    const id = await record(first, member, 8_000);
    await harness.takeCash(first, member, 8_000, id);
    const [pending] = await harness.contributions(president, first);
    expect(pending).to.deep.include({ id, method: 'cash', status: 'pending', wallet_id: null, amount: 8_000 });
    expect(pending).to.deep.include({ member_id, paid_by_member_id: member_id });
    const tooMuch = await refusalOf(harness.contribute(member, first, 2_001));
    expect(tooMuch.extras).to.deep.equal({ outstanding: 2_000 });
    expect(await recording(first, member, 2_001)).to.equal('contribution_exceeds_due');

    treasury.bringCash(association_id, first.id, id, 8_000);
    // The first decision is final.
    for (const paid of [true, true, false]) await harness.decideCash(first, id, paid);
    const [paid] = await harness.contributions(president, first);
    expect(paid).to.deep.include({ status: 'paid', transfer_id: id, outstanding: 2_000 });
    expect((await harness.getMeeting(president, first)).collected_amount).to.equal(8_000);
    expect(await harness.decisions(association_id)).to.deep.equal(['contribution.paid']);
    const [event] = await harness.events(association_id, 'contribution.paid');
    expect(event!.data.method).to.equal('cash');
  });

  it('has the metadata that it was recorded with, also in its event', async () => {
    const { association_id, president, member, first } = await harness.cycle([1, 1]);
    const metadata = { receipt: '117' };
    const id = harness.newId();
    await harness.takeCash(first, member, 8_000, id, { metadata });
    await harness.takeCash(first, member, 8_000, id, { metadata });
    treasury.bringCash(association_id, first.id, id, 8_000);
    await harness.decideCash(first, id, true);
    expect((await harness.contributions(president, first))[0]).to.deep.include({ id, status: 'paid', metadata });
    const [event] = await harness.events(association_id, 'contribution.paid');
    expect(event!.data.metadata).to.deep.equal(metadata);
  });

  it('releases the due when it is rejected', async () => {
    const { association_id, president, member, first } = await harness.cycle([1, 1]);
    const id = await record(first, member, 10_000);
    for (const paid of [false, false, true]) await harness.decideCash(first, id, paid);
    expect((await harness.contributions(president, first))[0]).to.deep.include({ id, status: 'failed' });
    expect((await harness.contribute(member, first, 10_000)).status).to.equal('paid');
    expect(await harness.decisions(association_id)).to.deep.equal(['contribution.failed', 'contribution.paid']);
  });

  it('takes nothing when its recording arrives after the rejection, so that the meeting can be settled', async () => {
    const { member, president, first, pay } = await harness.cycle([1, 1]);
    const id = harness.newId();
    await harness.decideCash(first, id, false);
    expect(await recording(first, member, 10_000, id)).to.equal('service_unavailable');
    expect(await harness.contributions(president, first)).to.deep.equal([]);
    await pay(first);
    expect((await harness.settle(president, first)).status).to.equal('settled');
  });

  it('leaves nothing taken when recording and rejection are concurrent', async () => {
    const { member, first } = await harness.cycle([1, 1]);
    for (let run = 0; run < 10; run += 1) {
      const id = harness.newId();
      await Promise.all([recording(first, member, 10_000, id), harness.decideCash(first, id, false)]);
    }
    expect((await harness.contribute(member, first, 10_000)).status).to.equal('paid');
  });

  it('is refused for unknown and settled meetings; only recorded cash can be confirmed', async () => {
    const { member, president, first, pay } = await harness.cycle([1, 1]);
    expect(await recording({ ...first, id: harness.newId() }, member, 1)).to.equal('not_found');
    expect(await recording({ ...first, association_id: harness.newId() }, member, 1)).to.equal('not_found');
    await harness.decideCash(first, harness.newId(), false);
    expect(await outcomeOf(harness.decideCash(first, harness.newId(), true))).to.equal('not_found');
    await pay(first);
    const [by_wallet] = await harness.contributions(president, first);
    expect(await outcomeOf(harness.decideCash(first, by_wallet!.id, true))).to.equal('not_found');
    await harness.settle(president, first);
    expect(await recording(first, member, 1)).to.equal('meeting_not_open');
  });

  it('is decided exactly once when contradictory decisions arrive concurrently', async () => {
    const { association_id, member, first } = await harness.cycle([1, 1]);
    for (let run = 0; run < 5; run += 1) {
      const id = await record(first, member, 1_000);
      treasury.bringCash(association_id, first.id, id, 1_000);
      await Promise.all([true, false, true, false].map((paid) => harness.decideCash(first, id, paid)));
    }
    const decided = await harness.decisions(association_id);
    expect(decided).to.have.length(5);
    const paid_minor = 1_000 * decided.filter((type) => type === 'contribution.paid').length;
    expect(await harness.due(member, first)).to.deep.include({ paid: paid_minor });
    expect(await recording(first, member, 10_000 - paid_minor)).to.equal('done');
  });

  it('is accepted up to the due, and once per id, when it is recorded concurrently', async () => {
    const { president, member, first } = await harness.cycle([1, 1]);
    const outcomes = await outcomesOf(atOnce(8, () => record(first, member, 3_000)));
    expect(outcomes.filter((outcome) => outcome === 'done')).to.have.length(3);
    const id = harness.newId();
    await Promise.all(atOnce(5, () => harness.takeCash(first, president, 9_000, id)));
  });

  it('stays refused when the call with the same id is repeated', async () => {
    const { member, first } = await harness.cycle([1, 1]);
    const taken = await record(first, member, 10_000);
    const refused = harness.newId();
    expect(await recording(first, member, 1_000, refused)).to.equal('contribution_exceeds_due');
    await harness.decideCash(first, taken, false);
    expect(await recording(first, member, 1_000, refused)).to.equal('contribution_exceeds_due');
    expect(await recording(first, member, 10_000)).to.equal('done');
  });

  it('makes a settlement refuse immediately until it is decided', async () => {
    const { member, president, first, second } = await harness.cycle([1, 1]);
    await harness.contribute(president, first, 10_000);
    const id = await record(first, member, 10_000);
    // In this process, a settlement that waited for the cash would not answer within the test.
    const waiting = await harness.startProcess({ in_flight_wait_ms: 60_000 });
    const outcome = await harness.through(waiting, () => outcomeOf(harness.settle(president, first)));
    await waiting.stop();
    expect(outcome).to.equal('contributions_in_flight');
    expect(await harness.statusOf(president, first)).to.equal('open');
    // Recovery finishes a wallet payment, but does not touch the cash.
    treasury.next(transfer, 'request_lost');
    await harness.contribute(president, second, 1);
    await harness.recover(async () => {
      expect((await harness.contributions(president, second))[0]).to.include({ status: 'paid' });
    });
    expect(treasury.received(transfer).map((each) => each.id)).to.not.include(id);
    await harness.decideCash(first, id, false);
    expect(await outcomeOf(harness.settle(president, first))).to.equal('meeting_underfunded');
  });

  it('is paid out as cash: the payouts, in rotation order, use wallet money first, then cash', async () => {
    const { association_id, people, president, first } = await harness.cycle([1, 1, 1, 1], {
      beneficiaries_per_meeting: 2,
    });
    const [a, b, c, d] = people as [Person, Person, Person, Person];
    await harness.contribute(a, first, 10_000);
    await harness.contribute(b, first, 10_000);
    await harness.contribute(c, first, 5_000);
    await harness.bringCash(first, c, 5_000);
    await harness.bringCash(first, d, 10_000);
    const { id: transfer_id, payouts } = await harness.settle(president, first);
    expect(payouts).to.deep.equal([
      { member_id: a.member_id, wallet_id: a.wallet_id, method: 'wallet', amount: 20_000, transfer_id },
      { member_id: b.member_id, wallet_id: b.wallet_id, method: 'wallet', amount: 5_000, transfer_id },
      { member_id: b.member_id, wallet_id: null, method: 'cash', amount: 15_000, transfer_id },
    ]);
    // 15 000 came in as cash, and went out as cash.
    for (const account of [`cash_pool:${first.id}`, `pool:${first.id}`, 'cash_funding']) {
      expect(treasury.balance(`${association_id}/${account}`), account).to.equal(0);
    }
    const { legs } = treasury.inputs.get(transfer_id)!;
    expect(legs.find((leg) => leg.account === 'cash_funding')?.member_id).to.equal(b.member_id);
    expect(harness.wallet(b)).to.equal(995_000);
  });
});
