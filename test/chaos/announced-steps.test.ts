import { expect } from 'chai';
import { announcedSteps, countCreatedSagas, NOT_PLAYED } from './announced-steps.ts';
import { SAGAS } from './sagas.ts';
import { STORIES } from './stories/index.ts';

describe('the stories of the chaos tests', () => {
  const deaths = STORIES.flatMap(({ acts }) => acts.flatMap((act) => act.deaths));

  it('know every saga', () => {
    expect(SAGAS).to.have.length(countCreatedSagas());
  });

  it('pass through every step that a service announces, and no other', () => {
    const played = new Set(deaths.map(({ step }) => step));
    expect([...played, ...Object.keys(NOT_PLAYED)].sort()).to.deep.equal(announcedSteps());
  });

  it('have each service die that claims idempotency keys', () => {
    const claiming = deaths.filter(({ step }) => step === 'idempotency.claimed').map(({ service }) => service);
    expect([...new Set(claiming)].sort()).to.deep.equal(['contribution', 'governance', 'membership', 'treasury']);
  });
});
