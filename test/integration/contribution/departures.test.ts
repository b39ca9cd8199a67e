import { expect } from 'chai';
import * as contract from '../../../lib/contracts/contribution.ts';
import { authorize } from '../../../lib/contracts/membership.ts';
import { useContribution, type Group, type Person } from '../../harness/contribution.ts';
import { eventually } from '../../harness/eventually.ts';
import { outcomeOf } from '../../harness/refusal.ts';
import { FINES, sheetActs } from '../../harness/sheets.ts';

describe('contribution: the lock of a membership that ends', () => {
  const harness = useContribution();
  const { line, put, submit, submitted, decide, fine, errorsOf } = sheetActs(harness);

  const membershipOf = ({ association_id }: Group, { member_id }: Person) => {
    return { association_id, member_id, tenure: 0, departure_id: harness.newId() };
  };
  const lock = async (membership: ReturnType<typeof membershipOf>) =>
    (await harness.command(contract.lockMembership, membership)).locked;
  const memberOf = ({ association_id }: Group, { member_id }: Person) =>
    harness.membership.association(association_id).members.find((each) => each.member_id === member_id)!;

  /** A kitty with fines, of which the second member is leaving. */
  const scene = async () => {
    const group = harness.group([1, 1, 1], { type: 'solidarity' }, { fines: FINES });
    const meeting = await harness.scheduleMeeting(group);
    return { group, meeting, president: group.president, leaver: group.people[1]!, other: group.people[2]! };
  };
  /** Waits until the requests with this permission have met a lock. */
  const untilTheyWait = (permission: string, count: number) =>
    eventually(() => {
      const asked = harness.membership.received(authorize).filter((each) => each.permission === permission);
      expect(asked.length).to.be.above(count);
    });

  it('is not set while a submitted sheet names the member, and is set as often as it is asked for', async () => {
    const { group, meeting, president, leaver, other } = await scene();
    const sheet = await submitted(president, meeting, [line(leaver, 100, { kind: 'treasury' })]);
    const membership = membershipOf(group, leaver);
    expect(await lock(membership)).to.equal(false);
    expect(await lock(membershipOf(group, other))).to.equal(true);
    await decide(sheet, 'rejected');
    for (let times = 0; times < 2; times += 1) expect(await lock(membership)).to.equal(true);
    await harness.command(contract.unlockMembership, membership);
    expect(await lock(membership)).to.equal(false);
  });

  it('makes sheets with the member wait, which are refused once they have left', async () => {
    const { group, meeting, president, leaver, other } = await scene();
    expect(await lock(membershipOf(group, leaver))).to.equal(true);
    const draft = await put(president, meeting, harness.newId(), { lines: [line(other, 50), line(leaver, 100)] });
    const refused = errorsOf(submit(president, draft));
    // The draft, the submission, and the submission again while it waits.
    await untilTheyWait('record_sheet', 2);
    memberOf(group, leaver).status = 'left';
    expect(await refused).to.deep.equal(['sheet_refused', [['/lines/1/member_id', 'not_found']]]);
  });

  it('makes sheets with the member wait, which are submitted once the departure has failed', async () => {
    const { group, meeting, president, leaver, other } = await scene();
    const membership = membershipOf(group, leaver);
    expect(await lock(membership)).to.equal(true);
    expect((await submitted(president, meeting, [line(other, 50)])).status).to.equal('submitted');
    const waiting = submitted(president, meeting, [line(leaver, 100)]);
    await untilTheyWait('record_sheet', 4);
    await harness.command(contract.unlockMembership, membership);
    expect((await waiting).status).to.equal('submitted');
  });

  it('makes manual fines of the member wait, which are refused once they have left', async () => {
    const { group, leaver, other } = await scene();
    expect(await lock(membershipOf(group, leaver))).to.equal(true);
    expect((await fine(group, other)).status).to.equal('due');
    const waiting = outcomeOf(fine(group, leaver));
    await untilTheyWait('assess_fine', 2);
    memberOf(group, leaver).status = 'left';
    expect(await waiting).to.equal('not_found');
  });
});
