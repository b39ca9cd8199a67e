import { expect } from 'chai';
import type { Remains } from '../../../lib/contracts/approvals.ts';
import { lockAssociation, unlockAssociation } from '../../../lib/contracts/contribution.ts';
import { bindCycle } from '../../../lib/contracts/membership.ts';
import { transfer } from '../../../lib/contracts/treasury.ts';
import { useContribution } from '../../harness/contribution.ts';
import { atOnce, outcomeOf } from '../../harness/refusal.ts';

describe('contribution: locking an association for its closure', () => {
  const harness = useContribution();
  const { membership, treasury } = harness;

  async function lock(association_id: string, approval_id = harness.newId(), dry_run = false): Promise<Remains> {
    return (await harness.command(lockAssociation, { association_id, approval_id, dry_run })).remains;
  }
  const look = (association_id: string) => lock(association_id, harness.newId(), true);
  const unlock = (association_id: string, approval_id = harness.newId()) =>
    harness.command(unlockAssociation, { association_id, approval_id });

  /** Sets the status of a meeting in the database, because no request can set it alone. */
  const setStatus = ({ id }: { id: string }, status: string) =>
    harness.sql(
      `UPDATE meetings SET status = $1, attempt_id = CASE $1 WHEN 'settling' THEN $2::uuid END WHERE id = $3`,
      status,
      harness.newId(),
      id,
    );

  it('prevents new cycles and meetings; a repeat gets the same answer', async () => {
    const group = harness.group([1, 1]);
    const { association_id } = group;
    const approval_id = harness.newId();
    expect(await lock(association_id, approval_id)).to.equal('nothing');
    expect(await lock(association_id, approval_id)).to.equal('nothing');
    // Membership says whether an association is closed permanently; here it says open, so the refusal is temporary.
    expect(await outcomeOf(harness.scheduleMeeting(group))).to.equal('service_unavailable');
    expect(await outcomeOf(harness.startCycle(group))).to.equal('service_unavailable');
    expect(await harness.cycleStatuses(association_id)).to.deep.equal([]);
    expect(await harness.events(association_id)).to.deep.equal([]);
    expect(await outcomeOf(harness.scheduleMeeting(harness.group([1, 1])))).to.equal('done');
  });

  it('has no effect in a dry run, and can be undone only by the closure that locked', async () => {
    const group = harness.group([1, 1]);
    const { association_id } = group;
    const approval_id = harness.newId();
    expect(await look(association_id)).to.equal('nothing');
    expect(await lock(association_id, approval_id)).to.equal('nothing');
    await unlock(association_id);
    expect(await outcomeOf(harness.scheduleMeeting(group))).to.equal('service_unavailable');
    await unlock(association_id, approval_id);
    // A late request of the undone closure does not lock again.
    expect(await lock(association_id, approval_id)).to.equal('something');
    await harness.scheduleMeeting(group);
    expect(await look(association_id)).to.equal('something');
  });

  it('does not lock while a meeting is open or settling', async () => {
    const { association_id, president, meeting } = await harness.groupWithMeeting();
    expect(await lock(association_id)).to.equal('something');
    await setStatus(meeting, 'settling');
    expect(await lock(association_id)).to.equal('something');
    await setStatus(meeting, 'open');
    await harness.settle(president, meeting);
    expect(await lock(association_id)).to.equal('nothing');
  });

  it('does not lock while a cycle is starting or running, but locks after a refused start', async () => {
    const starting = harness.group([1, 1]);
    membership.next(bindCycle, 'request_lost');
    await outcomeOf(harness.startCycle(starting));
    expect(await look(starting.association_id)).to.equal('undecided');
    expect(await lock(starting.association_id)).to.equal('undecided');
    const meeting = await harness.scheduleMeeting(starting);
    expect(await lock(starting.association_id), 'with a meeting').to.equal('something');
    await setStatus(meeting, 'cancelled');
    const refused = harness.group([1]);
    await outcomeOf(harness.startCycle(refused));
    expect(await lock(refused.association_id)).to.equal('nothing');
    const { association_id, president, meetings, pay } = await harness.cycle([1, 1]);
    for (const round of meetings) {
      expect(await lock(association_id)).to.equal('something');
      await pay(round);
      await harness.settle(president, round);
    }
    expect(await lock(association_id)).to.equal('nothing');
  });

  for (const [mishap, status, remains] of [
    // A binding that reaches membership after the closure is refused; a cycle that was bound before it runs.
    ['request_lost', 'refused', 'nothing'],
    ['answer_lost', 'running', 'something'],
  ] as const) {
    it(`is undecided while the start of a cycle has no outcome, and decided once the cycle is ${status}`, async () => {
      const group = harness.group([1, 1]);
      const { association_id } = group;
      membership.next(bindCycle, mishap);
      expect(await outcomeOf(harness.startCycle(group))).to.equal('outcome_unknown');
      expect(await lock(association_id)).to.equal('undecided');
      membership.association(association_id).terms.status = 'closed';
      await harness.recover(async () => expect(await lock(association_id)).to.equal(remains));
      expect(await harness.cycleStatuses(association_id)).to.deep.equal([status]);
    });
  }

  it('does not lock while a member owes arrears', async () => {
    const { association_id, president, member, meeting } = await harness.groupWithMeeting();
    await harness.settle(president, meeting);
    await harness.sql(
      `INSERT INTO arrears (meeting_id, debtor_id, creditor_id, association_id, rank, amount_minor, settled_at)
       VALUES ($1, $2, $3, $4, 0, 10, now())`,
      meeting.id,
      president.member_id,
      member.member_id,
      association_id,
    );
    expect(await lock(association_id)).to.equal('something');
    await harness.sql('UPDATE arrears SET taken_minor = 10, paid_minor = 10 WHERE meeting_id = $1', meeting.id);
    expect(await lock(association_id)).to.equal('nothing');
  });

  it('does not lock while a contribution has no outcome', async () => {
    const { association_id, president, meeting } = await harness.groupWithMeeting();
    treasury.next(transfer, 'request_lost');
    await harness.contribute(president, meeting, 5);
    await setStatus(meeting, 'cancelled');
    expect(await lock(association_id)).to.equal('something');
  });

  it('either locks or lets a concurrent cycle or meeting begin, never both', async () => {
    const attempt = async () => {
      const group = harness.group([1, 1]);
      const begin = [
        ...atOnce(3, () => outcomeOf(harness.scheduleMeeting(group))),
        ...atOnce(2, () => outcomeOf(harness.startCycle(group))),
      ];
      const locks = atOnce(2, () => lock(group.association_id));
      const [begun, locked] = await Promise.all([Promise.all(begin), Promise.all(locks)]);
      const seen = `${begun.join()} ${locked.join()}`;
      expect(begun.includes('done'), seen).to.equal(!locked.includes('nothing'));
      for (const outcome of begun) expect(outcome).to.be.oneOf(['done', 'cycle_in_progress', 'service_unavailable']);
    };
    for (let run = 0; run < 5; run += 1) await Promise.all(atOnce(4, attempt));
  });
});
