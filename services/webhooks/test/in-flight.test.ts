import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  ALLOWANCE_MAX,
  ALLOWANCE_START,
  IN_FLIGHT_MAX,
  InFlight,
  SLOW_AFTER_MS,
  SUSPECT_IN_FLIGHT_MAX,
} from '../src/sending/in-flight.ts';

const names = (count: number, prefix = 'e') => Array.from({ length: count }, (_, index) => `${prefix}${String(index)}`);

/** Takes what is permitted, as if there were always more to send. */
function fill(slots: InFlight, ids: string[], now_ms: number, is_failing = false): number {
  let taken = 0;
  for (const ask of slots.asksFor(ids, now_ms)) {
    const count = is_failing ? ask.failing : ask.healthy;
    for (let each = 0; each < count; each += 1) {
      slots.begin(
        { id: `${ask.webhook_id}-${String(now_ms)}-${String(each)}`, webhook_id: ask.webhook_id, is_failing },
        now_ms,
      );
    }
    slots.claimed(ask, count);
    taken += count;
  }
  return taken;
}

describe('slots', () => {
  it('of a new endpoint are few, and grow with each success', () => {
    const slots = new InFlight();
    assert.equal(fill(slots, ['e'], 0), ALLOWANCE_START);
    for (let each = 0; each < ALLOWANCE_START; each += 1)
      slots.end({ id: `e-0-${String(each)}`, webhook_id: 'e' }, true);
    assert.equal(fill(slots, ['e'], 1), 2 * ALLOWANCE_START);
    for (let at = 1; slots.total > 0 && at < 20; at += 1) {
      for (let each = 0; each < ALLOWANCE_MAX; each += 1)
        slots.end({ id: `e-${String(at)}-${String(each)}`, webhook_id: 'e' }, true);
      fill(slots, ['e'], at + 1);
    }
    assert.equal(slots.total, ALLOWANCE_MAX);
  });

  it('are one for an endpoint whose last attempt has failed', () => {
    const slots = new InFlight();
    assert.equal(fill(slots, ['e'], 0, true), 1);
    assert.equal(fill(slots, ['e'], 1, true), 0);
    slots.end({ id: 'e-0-0', webhook_id: 'e' }, false);
    assert.equal(fill(slots, ['e'], 2, true), 1);
  });

  it('are no more for an endpoint while a request to it is slow', () => {
    const slots = new InFlight();
    slots.begin({ id: 'd', webhook_id: 'e', is_failing: false }, 0);
    assert.equal(slots.asksFor(['e'], SLOW_AFTER_MS)[0]?.healthy, ALLOWANCE_START - 1);
    assert.deepEqual(slots.asksFor(['e'], SLOW_AFTER_MS + 1), []);
  });

  it('of all endpoints that fail are only a part, so that the others have slots', () => {
    const slots = new InFlight();
    assert.equal(fill(slots, names(5_000), 0, true), SUSPECT_IN_FLIGHT_MAX);
    assert.equal(fill(slots, ['healthy'], 1), ALLOWANCE_START);
  });

  it('of endpoints that have become slow count as those of failing ones', () => {
    const slots = new InFlight();
    fill(slots, names(SUSPECT_IN_FLIGHT_MAX), 0);
    const later_ms = SLOW_AFTER_MS + 1;
    assert.equal(fill(slots, names(10, 'failing'), later_ms, true), 0);
    assert.equal(fill(slots, ['healthy'], later_ms), ALLOWANCE_START);
  });

  it('are limited in total', () => {
    const slots = new InFlight();
    for (let round = 0; round < 10; round += 1) fill(slots, names(1_000), round);
    assert.equal(slots.total, IN_FLIGHT_MAX);
    assert.deepEqual(slots.asksFor(['other'], 11), []);
  });

  it('that end say whether the endpoint may have more to send', () => {
    const slots = new InFlight();
    fill(slots, ['e'], 0);
    assert.equal(slots.end({ id: 'e-0-0', webhook_id: 'e' }, true), true);
    const [ask] = slots.asksFor(['e'], 1);
    assert.ok(ask);
    slots.claimed(ask, 0);
    assert.equal(slots.end({ id: 'e-0-1', webhook_id: 'e' }, true), false);
  });

  it('are free again once requests have ended', () => {
    const slots = new InFlight();
    fill(slots, names(5_000), 0, true);
    for (const id of names(5_000)) slots.end({ id: `${id}-0-0`, webhook_id: id }, false);
    assert.equal(slots.total, 0);
    assert.equal(fill(slots, names(5_000), 1, true), SUSPECT_IN_FLIGHT_MAX);
  });
});
