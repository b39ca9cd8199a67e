import { expect } from 'chai';
import { overview, waitingVotes, type Approval } from '../../../lib/contracts/governance.ts';
import { board } from '../../../lib/contracts/membership.ts';
import type { FakeAssociation } from '../../harness/fakes/membership.ts';
import { useGovernance } from '../../harness/governance.ts';
import { outcomeOf } from '../../harness/refusal.ts';

describe('governance: the members for whose votes a request waits', () => {
  const harness = useGovernance();
  let group: FakeAssociation;
  beforeEach(() => {
    group = harness.found('president', 'treasurer', 'secretary', 'member');
  });

  const ask = ({ association_id, id: approval_id }: Approval) =>
    harness.command(waitingVotes, { association_id, approval_id });
  const ids = (...indexes: number[]) => indexes.map((index) => harness.memberId(group, index));
  const waitingFor = async (approval: Approval) => (await ask(approval)).waiting_member_ids;
  const distribution = (changes: object = {}) => harness.request(group, { subject_type: 'distribution', ...changes });

  it('are the board without the requester, the member concerned and those who have voted', async () => {
    const approval = await distribution();
    const { status, subject_type, expires_at } = approval;
    expect(await ask(approval)).to.deep.equal({ status, subject_type, expires_at, waiting_member_ids: ids(1, 2) });
    await harness.approve(1, approval);
    expect(await waitingFor(approval)).to.deep.equal(ids(2));
    expect(await waitingFor(await harness.request(group, { concerned_member_id: ids(2)[0]! }))).to.deep.equal(ids(1));
  });

  it('hold a board role now: those who were appointed since the request, and not those who left', async () => {
    const approval = await distribution();
    group.members[3]!.role = 'treasurer';
    expect(await waitingFor(approval)).to.deep.equal(ids(1, 2, 3));
    group.members[1]!.status = 'left';
    group.members[2]!.role = 'member';
    expect(await waitingFor(approval)).to.deep.equal(ids(3));
  });

  it('are those whose overview shows the request', async () => {
    const approvals = [await distribution(), await harness.request(group, { concerned_member_id: ids(1)[0]! })];
    await harness.approve(1, approvals[0]!);
    for (const approval of approvals) {
      const shown = [0, 1, 2].map(async (index) => {
        const memberships = [{ association_id: group.id, member_id: harness.memberId(group, index) }];
        const { associations } = await harness.command(overview, { memberships });
        const isShown = associations.flatMap((each) => each.approvals).some(({ id }) => id === approval.id);
        return isShown ? ids(index) : [];
      });
      expect(await waitingFor(approval)).to.deep.equal((await Promise.all(shown)).flat());
    }
  });

  it('are none once the request is decided, cancelled or expired', async () => {
    const approved = await harness.request(group);
    await harness.approve(1, approved);
    const rejected = await distribution();
    for (const index of [1, 2]) await outcomeOf(harness.reject(index, rejected));
    const cancelled = await harness.request(group);
    await harness.cancel(0, cancelled);
    const asked = harness.membership.received(board).length;
    for (const [status, approval] of Object.entries({ approved, rejected, cancelled })) {
      expect(await ask(approval))
        .to.include({ status })
        .and.to.deep.include({ waiting_member_ids: [] });
    }
    expect(harness.membership.received(board), 'the board is not needed').to.have.length(asked);
    const expired = await harness.request(group);
    harness.clock.stopped_at = new Date(expired.expires_at);
    expect(await waitingFor(expired)).to.deep.equal([]);
  });

  it('are not told of a request of another association, or an unknown one', async () => {
    const approval = await distribution();
    const elsewhere = harness.found('president', 'treasurer');
    for (const wrong of [{ association_id: elsewhere.id }, { id: harness.newId() }, { id: 'no-id' }]) {
      expect(await outcomeOf(ask({ ...approval, ...wrong }))).to.equal('not_found');
    }
  });
});
