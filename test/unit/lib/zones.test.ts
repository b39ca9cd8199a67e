import { expect } from 'chai';
import fc from 'fast-check';
import { addPeriods } from '../../../lib/calendar/calendar.ts';
import { dayIn, isTimeZone, startOfDay } from '../../../lib/calendar/zones.ts';

describe('time zones', () => {
  it('are IANA names, in any letter case, and no offsets', () => {
    const names = ['UTC', 'Africa/Douala', 'africa/douala', 'Asia/Kolkata', 'Asia/Calcutta', 'Etc/GMT+5', 'EST5EDT'];
    const others = ['+01:00', 'Africa/Nowhere', '', '__proto__', 'Africa/Douala\0', 'A'.repeat(65)];
    expect([...names, ...others].filter(isTimeZone)).to.deep.equal(names);
  });

  it('have the day of an instant', () => {
    const instant = new Date('2026-03-29T23:30:00Z');
    expect(dayIn('UTC', instant)).to.equal('2026-03-29');
    expect(dayIn('Africa/Douala', instant)).to.equal('2026-03-30');
    expect(dayIn('America/Sao_Paulo', instant)).to.equal('2026-03-29');
  });

  const starts: [string, string, string][] = [
    ['UTC', '2026-03-29', '2026-03-29T00:00:00.000Z'],
    ['Africa/Douala', '2026-03-29', '2026-03-28T23:00:00.000Z'],
    ['Pacific/Kiritimati', '2026-03-29', '2026-03-28T10:00:00.000Z'],
    // Midnight does not exist on the day on which summer time begins there.
    ['America/Sao_Paulo', '2018-11-04', '2018-11-04T03:00:00.000Z'],
    // Samoa left out 30 December 2011.
    ['Pacific/Apia', '2011-12-31', '2011-12-30T10:00:00.000Z'],
  ];
  for (const [zone, day, start] of starts) {
    it(`begin ${day} in ${zone} at its first instant`, () => {
      expect(startOfDay(zone, day).toISOString()).to.equal(start);
    });
  }

  it('begin each day one millisecond after the last instant of the day before', () => {
    const zones = fc.constantFrom(
      'UTC',
      'Africa/Douala',
      'Africa/Nairobi',
      'Europe/Paris',
      'America/New_York',
      'Asia/Kolkata',
    );
    const days = fc.integer({ min: 0, max: 20_000 }).map((count) => addPeriods('2000-01-01', 'daily', count));
    fc.assert(
      fc.property(zones, days, (zone, day) => {
        const start = startOfDay(zone, day);
        expect(dayIn(zone, start)).to.equal(day);
        expect(dayIn(zone, new Date(start.getTime() - 1))).to.equal(addPeriods(day, 'daily', -1));
      }),
    );
  });
});
