import { expect } from 'chai';
import * as contract from '../../../lib/contracts/contribution.ts';
import { authorize } from '../../../lib/contracts/membership.ts';
import { PERMISSION_TABLE, type Permission, type Role } from '../../../lib/contracts/permissions.ts';
import { useContribution, type MeetingIds, type Person } from '../../harness/contribution.ts';
import { outcomeOf } from '../../harness/refusal.ts';

describe('contribution: permissions', () => {
  const harness = useContribution();
  const { membership } = harness;

  type Act = (person: Person, meeting: MeetingIds) => Promise<unknown>;
  const inAssociation =
    (endpoint: typeof contract.listMeetings | typeof contract.listCycles | typeof contract.scheduleMeeting): Act =>
    ({ user_id }, { association_id }) =>
      harness.as(user_id, endpoint, { path: { association_id } });
  const change: Act = ({ user_id }, { association_id, id: meeting_id }) =>
    harness.as(user_id, contract.changeMeeting, { path: { association_id, meeting_id }, body: { title: 'Other' } });
  const startCycle: Act = (president, { association_id }) => harness.startCycle({ association_id, president });

  const acts: [name: string, permission: Permission, act: Act][] = [
    ['scheduling a meeting', 'schedule_meeting', inAssociation(contract.scheduleMeeting)],
    ['changing a meeting', 'schedule_meeting', change],
    ['cancelling a meeting', 'schedule_meeting', (person, meeting) => harness.cancel(person, meeting)],
    ['settling a meeting', 'settle', (person, meeting) => harness.settle(person, meeting)],
    ['contributing', 'contribute', (person, meeting) => harness.contribute(person, meeting, 1)],
    ['starting a cycle', 'start_cycle', startCycle],
    ['listing meetings', 'read', inAssociation(contract.listMeetings)],
    ['listing cycles', 'read', inAssociation(contract.listCycles)],
    ['listing dues', 'read', (person, meeting) => harness.dues(person, meeting)],
    ['listing contributions', 'read', (person, meeting) => harness.contributions(person, meeting)],
    ['reading a meeting', 'read', (person, meeting) => harness.getMeeting(person, meeting)],
    ['reading a settlement', 'read', (person, meeting) => harness.getSettlement(person, meeting)],
    ['previewing a settlement', 'read', (person, meeting) => harness.preview(person, meeting)],
    ['reading a contribution', 'read', (person, meeting) => harness.getContribution(person, meeting, meeting.id)],
  ];
  for (const [name, permission, act] of acts) {
    it(`require \`${permission}\` for ${name}`, async () => {
      const group = harness.group([1, 1]);
      const { association_id, president } = group;
      const meeting = await harness.scheduleMeeting(group);
      expect(await outcomeOf(act({ ...president, user_id: 'stranger' }, meeting))).to.equal('not_found');
      const { roles, write }: { roles: readonly Role[]; write: boolean } = PERMISSION_TABLE[permission];
      for (const role of ['member', 'secretary', 'treasurer'] as const) {
        if (roles.includes(role)) continue;
        expect(await outcomeOf(act(harness.join(association_id, { role }), meeting)), role).to.equal(
          'role_not_allowed',
        );
      }
      expect(membership.received(authorize).at(-1)!.permission).to.equal(permission);
      membership.association(association_id).terms.status = 'closed';
      expect((await outcomeOf(act(president, meeting))) === 'association_closed').to.equal(write);
    });
  }

  it('do not give access to the meetings and cycles of another association', async () => {
    const { association_id, president, first } = await harness.cycle([1, 1]);
    const other = harness.group([1]);
    const elsewhere = { id: first.id, association_id: other.association_id };
    const { id } = await harness.contribute(president, first, 1);
    const getCycle = (in_association: string) => {
      const path = { association_id: in_association, cycle_id: first.cycle_id! };
      return harness.as(other.president.user_id, contract.getCycle, { path });
    };
    for (const attempt of [
      () => harness.getMeeting(other.president, elsewhere),
      () => harness.contribute(other.president, elsewhere, 1),
      () => harness.preview(other.president, elsewhere),
      () => harness.getContribution(other.president, elsewhere, id),
      () => getCycle(other.association_id),
      () => getCycle(association_id),
    ]) {
      expect(await outcomeOf(attempt())).to.equal('not_found');
    }
  });
});
