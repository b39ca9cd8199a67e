import { expect } from 'chai';
import type { Json } from '../../harness/http.ts';
import { votesOfFormerOfficers, type StoredEvent } from '../../faults/event-checks.ts';
import type { World } from '../../faults/world.ts';

type Written = World['written'][0];

const TREASURER = 'treasurer';
const SECRETARY = 'secretary';

/** A vote that is sent at one time and answered a millisecond later. */
function vote(at_ms: number, request_id: string, body: Json): Written {
  const outcome = { request_id, isDone: true, body, began_ms: at_ms, ended_ms: at_ms + 1 };
  return { effect: 'vote', outcome } as unknown as Written;
}

function roleChange(at_ms: number, to: string, execution = 'done'): { written: Written; event: StoredEvent } {
  const requestid = `to-${to}`;
  const event = { type: 'member.role_changed', requestid, data: { member_id: TREASURER, to } };
  const body = { status: 'approved', votes: [], required_approvals: 0, execution: { status: execution } };
  return { written: vote(at_ms, requestid, body), event: event as unknown as StoredEvent };
}

/** A motion that the treasurer and the secretary have approved, the secretary at this time. */
function motion(at_ms: number): Written {
  const votes = [TREASURER, SECRETARY].map((member_id) => ({ member_id, decision: 'approve' }));
  return vote(at_ms, 'motion', { id: 'motion', status: 'approved', votes, required_approvals: 2 });
}

function check(changes: ReturnType<typeof roleChange>[], at_ms: number): string[] {
  const written = [...changes.map((change) => change.written), motion(at_ms)];
  return votesOfFormerOfficers(
    changes.map(({ event }) => event),
    { written },
  );
}

describe('the check of votes in a chaos run', () => {
  const broken = ['approval motion was decided by the vote of a former officer'];
  const lost = roleChange(10, 'member');
  const regained = roleChange(30, 'treasurer');

  it('accepts the votes of officers', () => {
    expect(check([], 20)).to.deep.equal([]);
    expect(check([lost], 5)).to.deep.equal([]);
    expect(check([lost, regained], 40)).to.deep.equal([]);
  });

  it('notices the vote of a former officer, also if they are an officer again later', () => {
    expect(check([lost], 20)).to.deep.equal(broken);
    expect(check([lost, regained], 20)).to.deep.equal(broken);
  });

  it('knows when a proposal that needed no vote has appointed an officer', () => {
    const appointed = roleChange(1, 'secretary');
    appointed.written.outcome.body = { approval: appointed.written.outcome.body };
    expect(check([appointed, lost], 20)).to.deep.equal(broken);
  });

  it('accepts a vote while a change may have been under way', () => {
    expect(check([lost], 11)).to.deep.equal([]);
    expect(check([lost, regained], 30)).to.deep.equal([]);
    expect(check([roleChange(10, 'member', 'pending')], 20)).to.deep.equal([]);
  });
});
