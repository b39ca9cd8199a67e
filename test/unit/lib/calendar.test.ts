import { expect } from 'chai';
import fc from 'fast-check';
import { addPeriods, FREQUENCIES, isCalendarDate, type Frequency } from '../../../lib/calendar/calendar.ts';

describe('the calendar', () => {
  it('accepts only days that exist', () => {
    const days = ['2024-02-29', '2026-12-31', '2000-02-29'];
    const others = ['2026-02-29', '1900-02-29', '2026-13-01', '2026-00-10', '2026-1-1', '2026-01-01T00:00', ''];
    expect([...days, ...others, '0000-01-01'].filter(isCalendarDate)).to.deep.equal(days);
  });

  const periods: [string, Frequency, number, string][] = [
    ['2026-01-31', 'monthly', 0, '2026-01-31'],
    ['2026-01-31', 'monthly', 1, '2026-02-28'],
    // Counted from the start, not from the clamped day of the period before.
    ['2026-01-31', 'monthly', 2, '2026-03-31'],
    ['2026-01-31', 'monthly', 13, '2027-02-28'],
    ['2024-02-29', 'yearly', 1, '2025-02-28'],
    ['2024-02-29', 'yearly', 4, '2028-02-29'],
    ['2026-11-30', 'quarterly', 1, '2027-02-28'],
    ['2026-12-25', 'biweekly', 1, '2027-01-08'],
    ['2026-12-31', 'daily', 1, '2027-01-01'],
    ['2026-12-31', 'weekly', 2, '2027-01-14'],
  ];
  for (const [start, frequency, count, due] of periods) {
    it(`counts ${String(count)} ${frequency} periods from ${start}`, () => {
      expect(addPeriods(start, frequency, count)).to.equal(due);
    });
  }

  it('returns a later day for a later period, and always a day that exists', () => {
    const min = new Date('1990-01-01T00:00:00Z');
    const max = new Date('2100-12-31T00:00:00Z');
    const days = fc.date({ min, max, noInvalidDate: true }).map((date) => date.toISOString().slice(0, 10));
    fc.assert(
      fc.property(days, fc.constantFrom(...FREQUENCIES), fc.nat(200), (start, frequency, count) => {
        const due = addPeriods(start, frequency, count);
        const next = addPeriods(start, frequency, count + 1);
        expect(isCalendarDate(due), due).to.equal(true);
        expect(next > due, `${next} after ${due}`).to.equal(true);
      }),
    );
  });
});
