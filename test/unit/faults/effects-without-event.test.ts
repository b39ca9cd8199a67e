import { expect } from 'chai';
import { effectsWithoutEvent, type StoredEvent } from '../../faults/event-checks.ts';
import type { World } from '../../faults/world.ts';

type Written = World['written'][0];

const written = (effect: string, id: string | undefined, person?: object, body?: object): Written =>
  ({
    effect,
    id,
    person,
    outcome: { request: { path: '/associations/a/governance/approve' }, body },
  }) as unknown as Written;

const event = (type: string, data: object, subject = 'a'): StoredEvent =>
  ({ type, subject, data }) as unknown as StoredEvent;

describe('the check of events in a chaos run', () => {
  const voter = {};
  const groups = [
    { path: '/associations/a', members: [{ person: voter, member_id: 'm' }] },
  ] as unknown as World['groups'];
  const all: [Written, StoredEvent][] = [
    [written('association', 'a'), event('association.created', {})],
    [written('contribution', 'c'), event('contribution.paid', { contribution_id: 'c' })],
    [written('settlement', 's'), event('meeting.settled', { meeting_id: 's' })],
    [written('proposal', 'p'), event('approval.requested', { approval_id: 'x', subject_id: 'p' })],
    [written('attendance', 'm'), event('attendance.recorded', { meeting_id: 'm' })],
    [written('fine', 'f'), event('fine.assessed', { fine_id: 'f' })],
    [written('fine_payment', 'f', {}, { transfer_id: 't' }), event('fine.paid', { fine_id: 'f', transfer_id: 't' })],
    [
      written('submission', 's', {}, { approval_id: 'y' }),
      event('sheet.submitted', { sheet_id: 's', approval_id: 'y' }),
    ],
    [written('correction', 'r'), event('approval.requested', { approval_id: 'z', subject_id: 'r' })],
    [written('vote', 'x', voter), event('approval.voted', { approval_id: 'x', member_id: 'm' })],
  ];
  const check = (events: StoredEvent[], writes = all.map(([each]) => each)) =>
    effectsWithoutEvent(events, { written: writes, groups });

  it('finds the event of each acknowledged effect', () => {
    expect(check(all.map(([, each]) => each))).to.deep.equal([]);
  });

  it('notices each one that is missing', () => {
    for (const [effect, missing] of all) {
      const others = all.flatMap(([, each]) => (each === missing ? [] : [each]));
      expect(check(others), effect.effect).to.have.length(1);
    }
  });

  it('expects none of what was not acknowledged, or has no event', () => {
    expect(check([], [written('contribution', undefined), written('funding', 'f')])).to.deep.equal([]);
  });
});
