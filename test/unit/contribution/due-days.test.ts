import { expect } from 'chai';
import * as fc from 'fast-check';
import { FREQUENCIES } from '../../../lib/calendar/calendar.ts';
import { dueDays, keepsOrder } from '../../../services/contribution/cycles/cycle.rules.ts';

const day = fc
  .date({ min: new Date('1900-01-01'), max: new Date('2900-12-31'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10));

describe('due days', () => {
  it('are counted from the first day and clamped to the end of the month', () => {
    expect(dueDays('2028-01-31', 'monthly', 4)).to.deep.equal(['2028-01-31', '2028-02-29', '2028-03-31', '2028-04-30']);
    expect(dueDays('2026-11-30', 'quarterly', 3)).to.deep.equal(['2026-11-30', '2027-02-28', '2027-05-30']);
    expect(dueDays('1999-12-31', 'daily', 2)).to.deep.equal(['1999-12-31', '2000-01-01']);
    expect(dueDays('2026-12-25', 'biweekly', 2)).to.deep.equal(['2026-12-25', '2027-01-08']);
  });

  it('do not exist after the year 9999', () => {
    expect(dueDays('2999-06-01', 'yearly', 7_001)?.at(-1)).to.equal('9999-06-01');
    expect(dueDays('2999-06-01', 'yearly', 7_002)).to.equal(undefined);
    expect(dueDays('2999-12-31', 'biweekly', 200_000)).to.equal(undefined);
    expect(dueDays('2999-12-31', 'yearly', 200_000)).to.equal(undefined);
  });

  it('increase from round to round, and keep the day of the month or fall on the last day of a shorter month', () => {
    fc.assert(
      fc.property(
        day,
        fc.constantFrom(...FREQUENCIES),
        fc.integer({ min: 1, max: 400 }),
        (start, frequency, rounds) => {
          const days = dueDays(start, frequency, rounds)!;
          expect(days).to.have.length(rounds);
          expect(days[0]).to.equal(start);
          days
            .slice(1)
            .forEach((each, index) => expect(each > days[index]!, `${days[index]!} < ${each}`).to.equal(true));
          if (!['monthly', 'quarterly', 'yearly'].includes(frequency)) return;
          for (const each of days) {
            const [year, month, date] = each.split('-').map(Number) as [number, number, number];
            const last = new Date(Date.UTC(year, month, 0)).getUTCDate();
            expect(date).to.equal(Math.min(Number(start.slice(8)), last));
          }
        },
      ),
    );
  });

  it('keep their order if a round lies between its neighbours, or on the same day', () => {
    expect(keepsOrder('2026-03-10', '2026-03-10', '2026-03-10')).to.equal(true);
    expect(keepsOrder('2026-03-10', '2026-03-09', '2026-03-11')).to.equal(true);
    expect(keepsOrder('2026-03-10', '2026-03-11', null)).to.equal(false);
    expect(keepsOrder('2026-03-10', null, '2026-03-09')).to.equal(false);
    expect(keepsOrder('2026-03-10', null, null)).to.equal(true);
  });
});
