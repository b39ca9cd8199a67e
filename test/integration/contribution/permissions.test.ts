import { expect } from 'chai';
import * as contract from '../../../lib/contracts/contribution.ts';
import type { Meeting } from '../../../lib/contracts/contribution.ts';
import { PERMISSION_TABLE } from '../../../lib/contracts/permissions.ts';
import type { Permission, Role } from '../../../lib/contracts/permissions.ts';
import { useContribution } from '../../harness/contribution.ts';
import type { Person, Running, World } from '../../harness/contribution.ts';

describe('contribution: who may do what', () => {
  let world: World;
  let service: Running;
  useContribution((made) => ({ world, service } = made));

  const change = ({ user_id }: Person, { association_id, id: meeting_id }: Meeting) =>
    service.call(contract.changeMeeting, user_id, { path: { association_id, meeting_id }, body: { title: 'Other' } });
  const inAssociation =
    (endpoint: typeof contract.scheduleMeeting | typeof contract.listMeetings | typeof contract.listCycles) =>
    ({ user_id }: Person, { association_id }: Meeting) =>
      service.call(endpoint, user_id, { path: { association_id } });

  type Act = (person: Person, meeting: Meeting) => Promise<{ code: string | undefined }>;
  const acts: [name: string, permission: Permission, act: Act][] = [
    ['schedules a meeting', 'schedule_meeting', inAssociation(contract.scheduleMeeting)],
    ['changes a meeting', 'schedule_meeting', change],
    ['cancels a meeting', 'schedule_meeting', (person, meeting) => service.cancel(person, meeting)],
    ['settles a meeting', 'settle', (person, meeting) => service.settle(person, meeting)],
    ['contributes', 'contribute', (person, meeting) => service.contribute(person, meeting, 1)],
    [
      'starts a cycle',
      'start_cycle',
      ({ user_id }, { association_id }) => service.startCycle(user_id, association_id, { starts_on: '2026-03-10' }),
    ],
    ['lists meetings', 'read', inAssociation(contract.listMeetings)],
    ['lists cycles', 'read', inAssociation(contract.listCycles)],
    ['looks at a meeting', 'read', (person, meeting) => service.getMeeting(person, meeting)],
    ['looks at a settlement', 'read', (person, meeting) => service.getSettlement(person, meeting)],
    ['previews a settlement', 'read', (person, meeting) => service.preview(person, meeting)],
    ['looks at a contribution', 'read', (person, meeting) => service.getContribution(person, meeting, meeting.id)],
  ];
  for (const [name, permission, act] of acts) {
    it(`${name} with the permission ${permission}`, async () => {
      const { association_id, president } = world.tontine([1, 1]);
      const meeting = await service.scheduleMeeting(president, association_id);
      expect((await act({ ...president, user_id: 'stranger' }, meeting)).code).to.equal('not_found');
      const { roles, write }: { roles: readonly Role[]; write: boolean } = PERMISSION_TABLE[permission];
      for (const role of ['member', 'secretary', 'treasurer'] as const) {
        if (roles.includes(role)) continue;
        expect((await act(world.join(association_id, { role }), meeting)).code, role).to.equal('role_not_allowed');
      }
      expect(world.membership.asked.at(-1)).to.equal(permission);
      world.membership.associations.get(association_id)!.terms.status = 'closed';
      const { code } = await act(president, meeting);
      expect(code === 'association_closed').to.equal(write);
    });
  }

  it('finds nothing of another association', async () => {
    const { association_id, president, first } = await world.cycle(service, [1, 1]);
    const other = world.tontine([1, 1]).president;
    const elsewhere = { ...first, association_id: world.tontine([1]).association_id };
    const stranger = world.join(elsewhere.association_id);
    const { id } = (await service.contribute(president, first, 1)).body;
    for (const asked of [
      service.getMeeting(stranger, elsewhere),
      service.contribute(stranger, elsewhere, 1),
      service.preview(stranger, elsewhere),
      service.getContribution(stranger, elsewhere, id),
      service.call(contract.getCycle, stranger.user_id, {
        path: { association_id: elsewhere.association_id, cycle_id: first.cycle_id! },
      }),
      service.call(contract.getCycle, other.user_id, { path: { association_id, cycle_id: first.cycle_id! } }),
    ]) {
      expect((await asked).code).to.equal('not_found');
    }
  });
});
