import { expect } from 'chai';
import fc from 'fast-check';
import { addPeriods, FREQUENCIES, isCalendarDate, type Frequency } from '../../../lib/calendar/calendar.ts';
import { readInstant } from '../../../lib/calendar/instant.ts';

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

describe('an instant', () => {
  const read = (text: string) => readInstant(text)?.toISOString();

  for (const [text, instant] of [
    ['2026-10-05T18:30:00Z', '2026-10-05T18:30:00.000Z'],
    ['2026-10-05t18:30:00.5z', '2026-10-05T18:30:00.500Z'],
    ['2026-10-05 18:30:00.12399Z', '2026-10-05T18:30:00.123Z'],
    ['2026-10-05T18:30:00+05:30', '2026-10-05T13:00:00.000Z'],
    ['2026-10-05T18:30:00-11:00', '2026-10-06T05:30:00.000Z'],
    ['2026-01-01T00:00:00-00:00', '2026-01-01T00:00:00.000Z'],
    // The plus sign of a query that was not encoded.
    ['2026-01-01T00:59:00 01:00', '2025-12-31T23:59:00.000Z'],
    ['2016-12-31T23:59:60Z', '2017-01-01T00:00:00.000Z'],
    ['2016-12-31T18:59:60.9-05:00', '2017-01-01T00:00:00.900Z'],
  ] as const) {
    it(`is read from ${text}`, () => {
      expect(read(text)).to.equal(instant);
    });
  }

  it('is not read from other texts', () => {
    const others = [
      ...['2026-10-05', '2026-10-05T18:30Z', '2026-10-05T18:30:00', '2026-02-29T00:00:00Z', '2026-10-05T24:00:00Z'],
      ...['2026-10-05T18:60:00Z', '2026-10-05T18:30:60Z', '2026-10-05T18:30:00.Z', '2026-10-05T18:30:00+24:00'],
      ...[
        '2026-10-05T18:30:00+01:60',
        '2026-10-05T18:30:00+0100',
        '+12026-10-05T18:30:00Z',
        '0000-01-01T00:00:00Z',
        '',
      ],
    ];
    expect(others.filter((text) => read(text) !== undefined)).to.deep.equal([]);
  });

  it('is the same in every offset', () => {
    const instants = fc.date({ min: new Date('1900-01-02'), max: new Date('2999-12-30'), noInvalidDate: true });
    fc.assert(
      fc.property(instants, fc.integer({ min: -1_439, max: 1_439 }), (instant, offset_minutes) => {
        const local = new Date(instant.getTime() + offset_minutes * 60_000).toISOString().slice(0, -1);
        const two = (number: number) => String(number).padStart(2, '0');
        const minutes = Math.abs(offset_minutes);
        const offset = `${offset_minutes < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
        expect(readInstant(local + offset)).to.deep.equal(instant);
      }),
    );
  });
});
