import { expect } from 'chai';
import { overview, type Approval } from '../../../lib/contracts/governance.ts';
import { OVERVIEW_MAX_APPROVALS } from '../../../lib/contracts/overview.ts';
import type { FakeAssociation } from '../../harness/fakes/membership.ts';
import { useGovernance } from '../../harness/governance.ts';

const HOUR_MS = 3_600_000;

describe('governance: the overview of a user', () => {
  const harness = useGovernance();
  let group: FakeAssociation;
  beforeEach(() => {
    group = harness.found('president', 'treasurer', 'secretary', 'member');
  });

  /** Returns what waits for the vote of the member with this index, in the group and in others. */
  const waitingFor = async (index: number, ...others: FakeAssociation[]) => {
    const memberships = [group, ...others].map((each) => {
      return { association_id: each.id, member_id: harness.memberId(each, index) };
    });
    return (await harness.command(overview, { memberships })).associations;
  };
  const idsFor = async (index: number) => {
    const associations = await waitingFor(index);
    return associations.flatMap(({ approvals }) => approvals.map(({ id }) => id));
  };
  const shown = ({ id, subject_type, subject_id, requested_by_member_id, expires_at }: Approval) => {
    return { id, subject_type, subject_id, requested_by_member_id, expires_at };
  };

  it('shows the approvals on which the member may vote: neither their own requests nor those that concern them', async () => {
    const own = await harness.request(group, { requested_by_member_id: harness.memberId(group, 1) });
    const about = await harness.request(group, { concerned_member_id: harness.memberId(group, 1) });
    const other = await harness.request(group, { concerned_member_id: harness.memberId(group, 3) });
    expect(await waitingFor(1)).to.deep.equal([{ association_id: group.id, approvals: [shown(other)] }]);
    expect(await idsFor(2)).to.deep.equal([own.id, about.id, other.id]);
    expect(await idsFor(0)).to.deep.equal([own.id]);
  });

  it('shows an approval until the member has voted, or it is decided or cancelled', async () => {
    const distribution = await harness.request(group, { subject_type: 'distribution' });
    const deposit = await harness.request(group);
    expect(await idsFor(1)).to.deep.equal([distribution.id, deposit.id]);
    await harness.approve(1, distribution);
    expect(await idsFor(1)).to.deep.equal([deposit.id]);
    expect(await idsFor(2)).to.deep.equal([distribution.id, deposit.id]);
    await harness.approve(2, deposit);
    expect(await idsFor(1)).to.deep.equal([]);
    await harness.cancel(0, distribution);
    expect(await waitingFor(2)).to.deep.equal([]);
  });

  it('shows what expires first before the others, and nothing that has expired', async () => {
    const { terms } = group;
    const request = (hours: number) => {
      terms.rules = { ...terms.rules, approval_expires_in_hours: hours };
      return harness.request(group);
    };
    const [late, soon, first] = [await request(3), await request(2), await request(1)];
    expect(await idsFor(1)).to.deep.equal([first.id, soon.id, late.id]);
    harness.clock.stopped_at = new Date(first.expires_at);
    expect(await idsFor(1)).to.deep.equal([soon.id, late.id]);
    harness.clock.stopped_at = new Date(Date.parse(late.expires_at) + HOUR_MS);
    expect(await idsFor(1)).to.deep.equal([]);
  });

  it('shows at most as many as the limit in each association, and each association separately', async () => {
    const other = harness.found('president', 'treasurer');
    const quiet = harness.found('president', 'treasurer');
    const requested: string[] = [];
    for (let count = 0; count <= OVERVIEW_MAX_APPROVALS; count += 1) requested.push((await harness.request(group)).id);
    const elsewhere = await harness.request(other);
    const found = new Map(
      (await waitingFor(1, other, quiet)).map(({ association_id, approvals }) => [association_id, approvals]),
    );
    expect(found.get(group.id)!.map(({ id }) => id)).to.deep.equal(requested.slice(0, -1));
    expect(found.get(other.id)).to.deep.equal([shown(elsewhere)]);
    expect(found.size).to.equal(2);
  });
});
