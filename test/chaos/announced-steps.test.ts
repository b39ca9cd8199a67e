import { expect } from 'chai';
import { announcedSteps } from './announced-steps.ts';
import { STORIES } from './stories/index.ts';

describe('the stories of the chaos tests', () => {
  const deaths = STORIES.flatMap(({ acts }) => acts.flatMap((act) => act.deaths));

  it('pass through every step that a service announces, and no other', () => {
    const announced = announcedSteps();
    expect(announced.length).to.be.greaterThan(40);
    expect([...new Set(deaths.map(({ step }) => step))].sort()).to.deep.equal(announced);
  });

  it('have each service die that claims idempotency keys', () => {
    const claiming = deaths.filter(({ step }) => step === 'idempotency.claimed').map(({ service }) => service);
    expect([...new Set(claiming)].sort()).to.deep.equal(['contribution', 'governance', 'membership', 'treasury']);
  });
});
