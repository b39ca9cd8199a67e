import { expect } from 'chai';
import fc from 'fast-check';
import { addPeriods, FREQUENCIES, isCalendarDate } from '../../../lib/calendar/calendar.ts';

const day = fc
  .date({ min: new Date('1990-01-01T00:00:00Z'), max: new Date('2100-12-31T00:00:00Z'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10));

describe('calendar', () => {
  it('knows the days that exist', () => {
    for (const text of ['2024-02-29', '2026-12-31', '2000-02-29']) expect(isCalendarDate(text), text).to.equal(true);
    for (const text of [
      '2026-02-29',
      '1900-02-29',
      '2026-13-01',
      '2026-00-10',
      '2026-1-1',
      '2026-01-01T00:00',
      '',
      '0000-01-01',
    ]) {
      expect(isCalendarDate(text), text).to.equal(false);
    }
  });

  it('clamps to the end of a month, counting from the start each time', () => {
    const dues = [0, 1, 2, 3, 13].map((count) => addPeriods('2026-01-31', 'monthly', count));
    expect(dues).to.deep.equal(['2026-01-31', '2026-02-28', '2026-03-31', '2026-04-30', '2027-02-28']);
    expect(addPeriods('2024-02-29', 'yearly', 1)).to.equal('2025-02-28');
    expect(addPeriods('2024-02-29', 'yearly', 4)).to.equal('2028-02-29');
    expect(addPeriods('2026-11-30', 'quarterly', 1)).to.equal('2027-02-28');
  });

  it('takes 14 days for biweekly, and crosses years', () => {
    expect(addPeriods('2026-12-25', 'biweekly', 1)).to.equal('2027-01-08');
    expect(addPeriods('2026-12-31', 'daily', 1)).to.equal('2027-01-01');
    expect(addPeriods('2026-12-31', 'weekly', 2)).to.equal('2027-01-14');
  });

  it('gives a later day for a later round, and always one that exists', () => {
    fc.assert(
      fc.property(day, fc.constantFrom(...FREQUENCIES), fc.nat(200), (start, frequency, count) => {
        const [due, next] = [addPeriods(start, frequency, count), addPeriods(start, frequency, count + 1)];
        expect(isCalendarDate(due), due).to.equal(true);
        expect(next > due, `${next} after ${due}`).to.equal(true);
      }),
    );
  });
});
