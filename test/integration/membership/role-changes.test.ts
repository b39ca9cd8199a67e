import { expect } from 'chai';
import { executeApproval, leaveAssociation, listMembers } from '../../../lib/contracts/membership.ts';
import type { Member } from '../../../lib/contracts/membership.ts';
import { MembershipBench, refusalOf } from '../../harness/membership.ts';

describe('an approved role change', () => {
  let bench: MembershipBench;
  let association_id: string;
  let awa: Member;
  before(async () => {
    bench = await MembershipBench.start();
  });
  after(() => bench.stop());
  beforeEach(async () => {
    ({ id: association_id } = await bench.found('host'));
    awa = await bench.join('awa', association_id);
  });

  const execute = (payload: Record<string, unknown>, given: object = {}) => {
    const approval_id = bench.newId();
    return bench.command(executeApproval, {
      approval_id,
      association_id,
      subject_type: 'role_change',
      subject_id: approval_id,
      decision: 'approved',
      payload,
      ...given,
    });
  };
  const roles = async () =>
    (await bench.as('host', listMembers, { path: { association_id } })).data.map(({ user_id, role }) => [
      user_id,
      role,
    ]);
  const changes = async () =>
    (await bench.events(association_id)).filter((event) => event.type === 'member.role_changed');

  it('changes the role and tells the event stream', async () => {
    const approval_id = bench.newId();
    const outcome = await execute({ member_id: awa.id, role: 'treasurer' }, { approval_id });
    expect(outcome).to.deep.equal({ status: 'done', error: null });
    expect(await roles()).to.deep.equal([
      ['host', 'president'],
      ['awa', 'treasurer'],
    ]);
    const data = { member_id: awa.id, from: 'member', to: 'treasurer', approval_id };
    expect(await changes()).to.deep.equal([{ type: 'member.role_changed', data }]);
  });

  it('hands the presidency over in one step', async () => {
    await execute({ member_id: awa.id, role: 'president' });
    expect(await roles()).to.deep.equal([
      ['host', 'member'],
      ['awa', 'president'],
    ]);
    expect((await changes()).map(({ data }) => [data.from, data.to])).to.deep.equal([
      ['president', 'member'],
      ['member', 'president'],
    ]);
  });

  it('is carried out once for each approval, also when asked for many times at once', async () => {
    const approval_id = bench.newId();
    const outcomes = await Promise.all(
      Array.from({ length: 6 }, () => execute({ member_id: awa.id, role: 'secretary' }, { approval_id })),
    );
    for (const outcome of outcomes) expect(outcome).to.deep.equal({ status: 'done', error: null });
    expect(await changes()).to.have.length(1);
    await execute({ member_id: awa.id, role: 'member' });
    await execute({ member_id: awa.id, role: 'secretary' }, { approval_id });
    expect(await roles()).to.deep.include(['awa', 'member']);
  });

  it('fails for good for who has left, and stays failed when he is back', async () => {
    await bench.as('awa', leaveAssociation, { path: { association_id } });
    const approval_id = bench.newId();
    const failed = { status: 'failed', error: 'not_found' };
    expect(await execute({ member_id: awa.id, role: 'secretary' }, { approval_id })).to.deep.equal(failed);
    await bench.join('awa', association_id);
    expect(await execute({ member_id: awa.id, role: 'secretary' }, { approval_id })).to.deep.equal(failed);
    expect(await changes()).to.deep.equal([]);
  });

  it('fails for a president who would step down without a successor, and for a payload that is none', async () => {
    const { data } = await bench.as('host', listMembers, { path: { association_id } });
    const stepDown = { member_id: data[0]!.id, role: 'member' };
    expect(await execute(stepDown)).to.deep.equal({ status: 'failed', error: 'president_cannot_leave' });
    expect(await execute({ role: 'king' })).to.deep.equal({ status: 'failed', error: 'validation_failed' });
    const elsewhere = { member_id: bench.newId(), role: 'member' };
    expect(await execute(elsewhere)).to.deep.equal({ status: 'failed', error: 'not_found' });
    expect(await roles()).to.deep.include(['host', 'president']);
  });

  it('changes nothing unless it was approved', async () => {
    for (const decision of ['rejected', 'expired', 'cancelled']) {
      const outcome = await execute({ member_id: awa.id, role: 'treasurer' }, { decision });
      expect(outcome).to.deep.equal({ status: 'done', error: null });
    }
    expect(await changes()).to.deep.equal([]);
    expect((await refusalOf(execute({}, { association_id: bench.newId() }))).code).to.equal('not_found');
  });
});
