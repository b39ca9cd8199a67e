import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isLongOver, owedMinor, planDays } from '../src/occasions/occasions.rules.ts';
import { afterQuietHours, readTime } from '../src/times/quiet-hours.rules.ts';
import { instantAt, startOfDay, wallClock } from '../src/times/zones.rules.ts';

const at = (text: string) => new Date(text);
const night = { from: '21:00', to: '07:00', time_zone: null };

describe('days in time zones', () => {
  it('begin when the clocks on the wall show midnight, or skip it', () => {
    const days = [
      ['Africa/Douala', '2026-10-05', '2026-10-04T23:00:00.000Z'],
      ['Asia/Kathmandu', '2026-10-05', '2026-10-04T18:15:00.000Z'],
      ['Pacific/Kiritimati', '2026-10-05', '2026-10-04T10:00:00.000Z'],
      ['America/Toronto', '2026-11-02', '2026-11-02T05:00:00.000Z'],
      // Clocks were set forward at midnight: the day began at 01:00.
      ['America/Sao_Paulo', '2018-11-04', '2018-11-04T03:00:00.000Z'],
      // Clocks are set back from 01:00 to 00:00: the day begins at the first midnight.
      ['America/Havana', '2026-11-01', '2026-11-01T04:00:00.000Z'],
    ] as const;
    for (const [zone, day, instant] of days) assert.equal(startOfDay(zone, day).toISOString(), instant, zone);
  });

  it('show each time that exists, at the instant that is found for it', () => {
    for (const zone of ['Europe/Paris', 'Africa/Casablanca', 'Australia/Lord_Howe', 'America/St_Johns', 'UTC']) {
      for (let hour = 0; hour < 24 * 365; hour += 7) {
        const wall = wallClock(zone, new Date(Date.UTC(2026, 0, 1, hour, 12)));
        assert.deepEqual(wallClock(zone, instantAt(zone, wall)), wall, `${zone} ${String(hour)}`);
      }
    }
  });

  it('have a first instant after a time that the clocks skip', () => {
    const skipped = { day: '2026-03-29', minutes: 150 };
    assert.equal(instantAt('Europe/Paris', skipped).toISOString(), '2026-03-29T01:00:00.000Z');
  });
});

describe('quiet hours', () => {
  const after = (now: string, quiet: typeof night | { from: string; to: string; time_zone: string }, zone = 'UTC') =>
    afterQuietHours(quiet, zone, at(now)).toISOString();

  it('end on the next morning, also after midnight', () => {
    assert.equal(after('2026-10-05T21:00:00Z', night), '2026-10-06T07:00:00.000Z');
    assert.equal(after('2026-10-05T23:59:59Z', night), '2026-10-06T07:00:00.000Z');
    assert.equal(after('2026-10-06T00:00:00Z', night), '2026-10-06T07:00:00.000Z');
    assert.equal(after('2026-10-06T06:59:59Z', night), '2026-10-06T07:00:00.000Z');
  });

  it('do not hold back what comes before, after or at their end', () => {
    for (const now of ['2026-10-05T20:59:59.000Z', '2026-10-06T07:00:00.000Z', '2026-10-06T12:00:00.000Z']) {
      assert.equal(after(now, night), now);
    }
    assert.equal(
      afterQuietHours(null, 'UTC', at('2026-10-05T23:00:00Z')).getTime(),
      Date.parse('2026-10-05T23:00:00Z'),
    );
  });

  it('can be within one day', () => {
    const noon = { from: '12:00', to: '14:00', time_zone: null };
    assert.equal(after('2026-10-05T12:30:00Z', noon), '2026-10-05T14:00:00.000Z');
    assert.equal(after('2026-10-05T11:59:00.000Z', noon), '2026-10-05T11:59:00.000Z');
  });

  it('are those of the person, or of the association if they have named no zone', () => {
    const now = '2026-10-05T23:00:00.000Z';
    assert.equal(after(now, night, 'Africa/Douala'), '2026-10-06T06:00:00.000Z');
    assert.equal(after(now, { ...night, time_zone: 'America/Toronto' }, 'Africa/Douala'), now);
  });

  it('end when the clocks show it, on the days on which they are changed', () => {
    const paris = { ...night, time_zone: 'Europe/Paris' };
    assert.equal(after('2026-03-28T22:00:00Z', paris), '2026-03-29T05:00:00.000Z');
    assert.equal(after('2026-10-24T22:00:00Z', paris), '2026-10-25T06:00:00.000Z');
    // The end, 02:30, is skipped in March, and shown twice in October.
    const early = { from: '22:00', to: '02:30', time_zone: 'Europe/Paris' };
    assert.equal(after('2026-03-29T00:30:00Z', early), '2026-03-29T01:00:00.000Z');
    assert.equal(after('2026-10-25T00:15:00Z', early), '2026-10-25T00:30:00.000Z');
    assert.equal(after('2026-10-25T01:15:00Z', early), '2026-10-25T01:30:00.000Z');
  });

  it('are times of day', () => {
    for (const text of ['24:00', '7:00', '07:60', '0700', '', '07:00:00', ' 07:00'])
      assert.equal(readTime(text), undefined);
    assert.deepEqual([readTime('00:00'), readTime('23:59')], [0, 1439]);
  });
});

describe('the days of a meeting', () => {
  const meeting = { meeting_id: 'm', due_on: '2026-10-05' };
  const types = (now: string) => planDays(meeting, 'Africa/Douala', at(now)).map(({ type }) => type);

  it('begin at midnight in the zone of the association', () => {
    const plans = planDays(meeting, 'Africa/Douala', at('2026-09-01T00:00:00Z'));
    assert.deepEqual(
      plans.map(({ type, due_at }) => `${type} ${due_at.toISOString()}`),
      [
        'due_soon 2026-10-01T23:00:00.000Z',
        'due_today 2026-10-04T23:00:00.000Z',
        'due_late 2026-10-05T23:00:00.000Z',
        'turn_tomorrow 2026-10-03T23:00:00.000Z',
      ],
    );
  });

  it('are told until the next one has come', () => {
    assert.deepEqual(types('2026-10-04T22:59:59Z'), ['due_soon', 'due_today', 'due_late', 'turn_tomorrow']);
    assert.deepEqual(types('2026-10-04T23:00:00Z'), ['due_today', 'due_late']);
    assert.deepEqual(types('2026-10-05T23:00:00Z'), ['due_late']);
    assert.deepEqual(types('2026-10-08T23:00:00Z'), []);
  });

  it('are long over only when nothing is told of them in any zone', () => {
    for (const zone of ['Pacific/Kiritimati', 'Etc/GMT+12']) {
      for (let hour = 0; hour < 24 * 14; hour += 1) {
        const now = new Date(Date.UTC(2026, 9, 1, hour));
        if (isLongOver('2026-10-05', now)) assert.deepEqual(planDays(meeting, zone, now), []);
      }
    }
  });

  it('tell of what is owed: nothing before a settlement that has come, arrears after it', () => {
    const due = { outstanding_minor: 300, arrears_minor: 0 };
    const arrears = { outstanding_minor: 0, arrears_minor: 200 };
    assert.equal(owedMinor('due_today', 'open', due), 300);
    assert.equal(owedMinor('due_today', 'settled', due), 0);
    assert.equal(owedMinor('due_late', 'open', due), 300);
    assert.equal(owedMinor('due_late', 'settled', arrears), 200);
    assert.equal(owedMinor('due_late', 'cancelled', due), 0);
  });
});
