import { expect } from 'chai';
import { CONTRIBUTION_STATUSES, CYCLE_STATUSES } from '../../../lib/contracts/contribution.ts';
import { finalStates, statesBefore, statesWhere } from '../../../lib/saga/states.ts';
import { CYCLE_STATES, SHOWN_CYCLES } from '../../../services/contribution/cycles/cycle.table.ts';
import { MEETING_STATES } from '../../../services/contribution/meetings/meeting.table.ts';
import {
  CONTRIBUTION_STATES,
  IN_FLIGHT,
  PAID,
  PENDING,
} from '../../../services/contribution/payments/contribution.table.ts';
import { SETTLEMENT_STATES } from '../../../services/contribution/settlement/settlement.table.ts';

describe('the tables of states', () => {
  it('let a contribution be decided and reversed once, and show every status except refused', () => {
    expect(finalStates(CONTRIBUTION_STATES)).to.deep.equal(['reversed', 'failed', 'refused']);
    for (const end of ['failed', 'refused'] as const) {
      expect(statesBefore(CONTRIBUTION_STATES, end)).to.deep.equal(['pending']);
    }
    expect(statesBefore(CONTRIBUTION_STATES, 'paid')).to.deep.equal(['pending', 'reversing']);
    expect(statesBefore(CONTRIBUTION_STATES, 'reversed')).to.deep.equal(['reversing']);
    const shown = Object.entries(CONTRIBUTION_STATES).map(([status, facts]) => [status, facts.shown]);
    expect(shown).to.have.deep.members([
      ...CONTRIBUTION_STATUSES.map((status) => [status, status]),
      ['reversing', 'paid'],
      ['refused', null],
    ]);
    expect([PENDING, IN_FLIGHT, PAID]).to.deep.equal([`'pending'`, `'pending', 'reversing'`, `'paid'`]);
  });

  it('never reopen a settled or cancelled meeting, and allow contributions to open meetings only', () => {
    expect(finalStates(MEETING_STATES)).to.deep.equal(['settled', 'cancelled']);
    expect(statesBefore(MEETING_STATES, 'settled')).to.deep.equal(['settling']);
    expect(statesBefore(MEETING_STATES, 'cancelled')).to.deep.equal(['settling']);
    expect(statesWhere(MEETING_STATES, ({ pays }) => pays === 'pool')).to.deep.equal(['open']);
  });

  it('never let a refused cycle run', () => {
    expect(finalStates(CYCLE_STATES)).to.deep.equal(['refused', 'completed']);
    expect(statesBefore(CYCLE_STATES, 'running')).to.deep.equal(['starting']);
    expect(SHOWN_CYCLES).to.deep.equal(CYCLE_STATUSES);
  });

  it('let a settlement be decided once', () => {
    expect(finalStates(SETTLEMENT_STATES)).to.deep.equal(['settled', 'refused']);
  });
});
