import { expect } from 'chai';
import { CONTRIBUTION_STATUSES, CYCLE_STATUSES, MEETING_STATUSES } from '../../../lib/contracts/contribution.ts';
import { CONTRIBUTION_MOVES } from '../../../services/contribution/payments/contribution-states.ts';
import { CYCLE_MOVES, SHOWN_CYCLE_STATUSES } from '../../../services/contribution/cycles/cycle-states.ts';
import { MEETING_MOVES, takesContributions } from '../../../services/contribution/meetings/meeting-states.ts';
import type { Move } from '../../../services/contribution/meetings/move.ts';
import { SETTLEMENT_MOVES } from '../../../services/contribution/settlement/settlement-states.ts';

/** The states that nothing leaves. */
function finalStates(moves: Record<string, Move<string>>): string[] {
  const left = new Set(Object.values(moves).flatMap((move) => move.from));
  return [...new Set(Object.values(moves).map((move) => move.to))].filter((state) => !left.has(state)).sort();
}

describe('states', () => {
  it('let a contribution be decided once', () => {
    expect(finalStates(CONTRIBUTION_MOVES)).to.deep.equal(['failed', 'paid', 'refused']);
    for (const move of Object.values(CONTRIBUTION_MOVES)) expect(move.from).to.deep.equal(['pending']);
    expect(CONTRIBUTION_STATUSES).not.to.include('refused');
  });

  it('let a settled or cancelled meeting never open again', () => {
    expect(finalStates(MEETING_MOVES)).to.deep.equal(['cancelled', 'settled']);
    expect(MEETING_MOVES.cancel.from).to.deep.equal(['settling']);
    expect(MEETING_MOVES.settle.from).to.deep.equal(['settling']);
  });

  it('let contributions into open meetings alone', () => {
    expect(MEETING_STATUSES.filter(takesContributions)).to.deep.equal(['open']);
  });

  it('let a cycle that was refused never run', () => {
    expect(finalStates(CYCLE_MOVES)).to.deep.equal(['completed', 'refused']);
    expect(CYCLE_MOVES.run.from).to.deep.equal(['starting']);
    expect(SHOWN_CYCLE_STATUSES).to.deep.equal(CYCLE_STATUSES);
  });

  it('let a settlement be decided once', () => {
    expect(finalStates(SETTLEMENT_MOVES)).to.deep.equal(['refused', 'settled']);
  });
});
