import { expect } from 'chai';
import { standingOf } from '../../../services/membership/domain/association.ts';
import { CLOSING_STATES, mayBecome } from '../../../services/membership/domain/closing.ts';

describe('the closing of an association', () => {
  it('ends closed or reopened, and never goes back', () => {
    const moves = CLOSING_STATES.flatMap((from) =>
      CLOSING_STATES.filter((to) => mayBecome(from, to)).map((to) => `${from} > ${to}`),
    );
    expect(moves).to.deep.equal(['sealing > unsealing', 'sealing > closed', 'unsealing > reopened']);
  });

  it('takes no changes from its beginning on', () => {
    expect(standingOf({ status: 'active', closing_approval_id: null })).to.equal('active');
    expect(standingOf({ status: 'active', closing_approval_id: 'a' })).to.equal('closed');
    expect(standingOf({ status: 'closed', closing_approval_id: 'a' })).to.equal('closed');
    expect(standingOf({ status: 'closed', closing_approval_id: null })).to.equal('closed');
  });
});
