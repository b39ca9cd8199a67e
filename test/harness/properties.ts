/** Properties that are tested against running services, of which each try takes seconds. */
import { expect } from 'chai';

/** The parameters of such a property. A failure prints its seed and is not shrunk; PROPERTY_SEED repeats it. */
export function propertyOf(numRuns: number): { numRuns: number; endOnFailure: true; seed?: number } {
  const { PROPERTY_SEED: seed } = process.env;
  return { numRuns, endOnFailure: true, ...(seed === undefined ? {} : { seed: Number(seed) }) };
}

/**
 * Checks that a property has reached everything that it is about, as it could not fail otherwise.
 * @param figures how often each has happened; printed if PROPERTY_FIGURES is set
 */
export function expectReached(property: string, figures: Record<string, number>): void {
  if (process.env.PROPERTY_FIGURES !== undefined) process.stderr.write(`${property}: ${JSON.stringify(figures)}\n`);
  const missed = Object.keys(figures).filter((what) => figures[what] === 0);
  expect(missed, `not reached by ${property}`).to.deep.equal([]);
}
