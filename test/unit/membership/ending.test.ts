import { expect } from 'chai';
import { ENDING_STATES, mayBecome } from '../../../services/membership/endings/ending.table.ts';

describe('the end of an association or a membership', () => {
  it('is done or refused, and never goes back', () => {
    const moves = ENDING_STATES.flatMap((from) =>
      ENDING_STATES.filter((to) => mayBecome(from, to)).map((to) => `${from} > ${to}`),
    );
    expect(moves).to.deep.equal(['locking > unlocking', 'locking > done', 'unlocking > refused']);
  });
});
