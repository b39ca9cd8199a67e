import { expect } from 'chai';
import { FAULT_KINDS, makePlan, placeOf, wordsOf, type FaultKind } from '../../faults/plan.ts';

const SEEDS = Array.from({ length: 500 }, (_, index) => index + 1);
const plans = SEEDS.map((seed) => makePlan(seed));

describe('the plan of a chaos run', () => {
  it('depends only on the seed', () => {
    expect(makePlan(7)).to.deep.equal(makePlan(7));
    expect(wordsOf(makePlan(7))).to.not.deep.equal(wordsOf(makePlan(8)));
  });

  it('has 3 to 12 people in several associations, each with three officers', () => {
    for (const { people, associations, tasks } of plans) {
      expect(people).to.be.within(3, 12);
      expect(tasks).to.have.length(people);
      expect(associations.length).to.be.at.least(2);
      for (const association of associations) {
        expect(new Set(association.people).size).to.equal(association.people.length);
        expect(association.people.length).to.be.at.least(3);
      }
    }
  });

  it('has one fault at a time of a process, of the NATS servers, and of PostgreSQL', () => {
    for (const { faults } of plans) {
      for (const same of Map.groupBy(faults, placeOf).values()) {
        const ends = same.map(({ at_ms, lasts_ms }) => at_ms + lasts_ms);
        for (const [index, { at_ms }] of same.slice(1).entries()) expect(at_ms).to.be.above(ends[index]!);
      }
    }
  });

  it('has clocks that are wrong in one direction only, so that no two are more than an hour apart', () => {
    for (const { faults } of plans) {
      const skewed = faults.filter(({ kind }) => kind === 'skew_clock');
      expect(new Set(skewed.map(({ detail }) => detail % 2)).size).to.be.at.most(1);
    }
    expect(plans.filter(({ faults }) => faults.filter(({ kind }) => kind === 'skew_clock').length > 1)).to.not.be.empty;
  });

  it('reaches every kind of fault and work within 500 seeds', () => {
    const kinds = new Set<FaultKind>(plans.flatMap(({ faults }) => faults.map(({ kind }) => kind)));
    expect([...kinds]).to.have.members(Object.keys(FAULT_KINDS));
    expect(Math.min(...plans.map(({ faults }) => faults.length))).to.be.at.least(1);
  });
});
