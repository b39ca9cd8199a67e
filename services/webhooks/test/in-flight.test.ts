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

type End = ReturnType<InFlight['begin']>;

/** Takes what is permitted, as if there were always more to send. @returns the ends of the requests */
function fill(slots: InFlight, ids: string[], now_ms: number, is_failing = false): End[] {
  const ends: End[] = [];
  for (const ask of slots.asksFor(ids, now_ms)) {
    const count = is_failing ? ask.failing : ask.healthy;
    for (let each = 0; each < count; each += 1) {
      ends.push(slots.begin({ webhook_id: ask.webhook_id, is_failing }, now_ms));
    }
    slots.claimed(ask, count);
  }
  return ends;
}

describe('slots', () => {
  it('of a new endpoint are few, and grow with each success', () => {
    const slots = new InFlight();
    let ends = fill(slots, ['e'], 0);
    assert.equal(ends.length, ALLOWANCE_START);
    for (const end of ends) end(true);
    ends = fill(slots, ['e'], 1);
    assert.equal(ends.length, 2 * ALLOWANCE_START);
    for (let at = 2; at < 20; at += 1) {
      for (const end of ends) end(true);
      ends = fill(slots, ['e'], at);
    }
    assert.equal(slots.total, ALLOWANCE_MAX);
  });

  it('are one for an endpoint whose last attempt has failed', () => {
    const slots = new InFlight();
    const ends = fill(slots, ['e'], 0, true);
    assert.equal(ends.length, 1);
    assert.equal(fill(slots, ['e'], 1, true).length, 0);
    ends[0]?.(false);
    assert.equal(fill(slots, ['e'], 2, true).length, 1);
  });

  it('are no more for an endpoint while a request to it is slow', () => {
    const slots = new InFlight();
    slots.begin({ webhook_id: 'e', is_failing: false }, 0);
    assert.equal(slots.asksFor(['e'], SLOW_AFTER_MS)[0]?.healthy, ALLOWANCE_START - 1);
    assert.deepEqual(slots.asksFor(['e'], SLOW_AFTER_MS + 1), []);
  });

  it('of all endpoints that fail are only a part, so that the others have slots', () => {
    const slots = new InFlight();
    assert.equal(fill(slots, names(5_000), 0, true).length, SUSPECT_IN_FLIGHT_MAX);
    assert.equal(fill(slots, ['healthy'], 1).length, ALLOWANCE_START);
  });

  it('of endpoints that have become slow count as those of failing ones', () => {
    const slots = new InFlight();
    fill(slots, names(SUSPECT_IN_FLIGHT_MAX), 0);
    const later_ms = SLOW_AFTER_MS + 1;
    assert.equal(fill(slots, names(10, 'failing'), later_ms, true).length, 0);
    assert.equal(fill(slots, ['healthy'], later_ms).length, ALLOWANCE_START);
  });

  it('are taken by each request of a delivery, if it is sent again while one is running', () => {
    const slots = new InFlight();
    const delivery = { id: 'd', webhook_id: 'e', is_failing: false };
    const first = slots.begin(delivery, 0);
    const again = slots.begin(delivery, 1);
    assert.equal(slots.total, 2);
    assert.deepEqual(slots.asksFor(['e'], 2), []);
    first(true);
    assert.equal(slots.total, 1);
    again(true);
    assert.equal(slots.total, 0);
  });

  it('are limited in total', () => {
    const slots = new InFlight();
    for (let round = 0; round < 10; round += 1) fill(slots, names(1_000), round);
    assert.equal(slots.total, IN_FLIGHT_MAX);
    assert.deepEqual(slots.asksFor(['other'], 11), []);
  });

  it('that end say whether the endpoint may have more to send', () => {
    const slots = new InFlight();
    const [first, second] = fill(slots, ['e'], 0);
    assert.equal(first?.(true), true);
    const [ask] = slots.asksFor(['e'], 1);
    assert.ok(ask);
    slots.claimed(ask, 0);
    assert.equal(second?.(true), false);
  });

  it('are free again once requests have ended', () => {
    const slots = new InFlight();
    for (const end of fill(slots, names(5_000), 0, true)) end(false);
    assert.equal(slots.total, 0);
    assert.equal(fill(slots, names(5_000), 1, true).length, SUSPECT_IN_FLIGHT_MAX);
  });
});
