import { expect } from 'chai';
import { announcedSteps, countCreatedSagas, NOT_PLAYED } from './announced-steps.ts';
import { SAGAS } from './sagas.ts';
import { STORIES } from './stories/index.ts';

describe('the stories of the chaos tests', () => {
  const deaths = STORIES.flatMap(({ acts }) => acts.flatMap((act) => act.deaths));

  it('include every saga', () => {
    expect(SAGAS).to.have.length(countCreatedSagas());
  });

  it('kill a process at each announced fault point, and at no other point', () => {
    const played = new Set(deaths.map(({ step }) => step));
    expect([...played, ...Object.keys(NOT_PLAYED)].sort()).to.deep.equal(announcedSteps());
  });

  it('kill each service that claims idempotency keys after the claim', () => {
    const claiming = deaths.filter(({ step }) => step === 'idempotency.claimed').map(({ service }) => service);
    expect([...new Set(claiming)].sort()).to.deep.equal(['contribution', 'governance', 'membership', 'treasury']);
  });
});
