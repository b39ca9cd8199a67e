import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Candidate } from '../src/sending/claim.store.ts';
import { ALLOWANCE_MAX, ALLOWANCE_START, InFlight, SLOW_AFTER_MS } from '../src/sending/in-flight.ts';
import { IN_FLIGHT_MAX, OWNER_IN_FLIGHT_MAX, OWNER_SUSPECT_MAX, SUSPECT_IN_FLIGHT_MAX } from '../src/sending/slots.ts';

const names = (count: number, prefix = 'e') => Array.from({ length: count }, (_, index) => `${prefix}${String(index)}`);

/** @param owner_id whose endpoints they are; each has its own user if it is left out */
const candidatesOf = (ids: string[], is_failing: boolean, owner_id?: string): Candidate[] =>
  ids.map((webhook_id) => ({ webhook_id, owner_id: owner_id ?? `owner of ${webhook_id}`, is_failing }));

type End = ReturnType<InFlight['begin']>;

/** Takes what is permitted, as if there were always more to send. @returns the ends of the requests */
function fill(slots: InFlight, ids: string[], now_ms: number, is_failing = false, owner_id?: string): End[] {
  const ends: End[] = [];
  const candidates = candidatesOf(ids, is_failing, owner_id);
  do {
    for (const ask of slots.asksFor(candidates.splice(0), now_ms)) {
      const [candidate] = candidatesOf([ask.webhook_id], is_failing, owner_id);
      assert.ok(candidate);
      for (let each = 0; each < ask.count; each += 1) ends.push(slots.begin(candidate, now_ms));
      slots.claimed(ask, ask.count);
    }
  } while (slots.hasTurn());
  return ends;
}

/** How many requests an endpoint is permitted now. */
const permitted = (slots: InFlight, now_ms: number, is_failing = false, id = 'e') =>
  slots.asksFor(candidatesOf([id], is_failing), now_ms).find(({ webhook_id }) => webhook_id === id)?.count ?? 0;

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

  it('are one for an endpoint whose last answer was slow, until one is not', () => {
    const slots = new InFlight();
    for (const end of fill(slots, ['e'], 0)) end(false);
    const [slow] = fill(slots, ['e'], 1);
    assert.equal(slots.total, 1);
    slow?.(true);
    assert.equal(permitted(slots, 2), ALLOWANCE_START + 1);
  });

  it('are no more for an endpoint while a request to it is slow', () => {
    const begun = () => {
      const slots = new InFlight();
      for (const candidate of candidatesOf(['e'], false)) slots.begin(candidate, 0);
      return slots;
    };
    assert.equal(permitted(begun(), SLOW_AFTER_MS), ALLOWANCE_START - 1);
    assert.equal(permitted(begun(), SLOW_AFTER_MS + 1), 0);
  });

  it('of all endpoints that fail are only a part, so that the others have slots', () => {
    const slots = new InFlight();
    assert.equal(fill(slots, names(5_000), 0, true).length, SUSPECT_IN_FLIGHT_MAX);
    assert.equal(fill(slots, ['healthy'], 1).length, ALLOWANCE_START);
  });

  it('of endpoints that answer slowly count from then on as those of failing ones', () => {
    const slots = new InFlight();
    const slow = names(SUSPECT_IN_FLIGHT_MAX);
    for (const end of fill(slots, slow, 0)) end(false);
    assert.equal(fill(slots, slow, 1).length, SUSPECT_IN_FLIGHT_MAX);
    assert.equal(fill(slots, names(10, 'failing'), 2, true).length, 0);
    assert.equal(fill(slots, ['healthy'], 2).length, ALLOWANCE_START);
  });

  it('of the endpoints of one user are a part, and fewer of those that fail', () => {
    const slots = new InFlight();
    assert.equal(fill(slots, names(500, 'failing'), 0, true, 'awa').length, OWNER_SUSPECT_MAX);
    assert.equal(fill(slots, names(500, 'new'), 0, false, 'awa').length, OWNER_IN_FLIGHT_MAX - OWNER_SUSPECT_MAX);
    assert.equal(fill(slots, names(500, 'failing'), 0, true, 'binta').length, OWNER_SUSPECT_MAX);
  });

  it('are taken by each request of a delivery, if it is sent again while one is running', () => {
    const slots = new InFlight();
    const [candidate] = candidatesOf(['e'], false);
    assert.ok(candidate);
    const first = slots.begin(candidate, 0);
    const again = slots.begin(candidate, 1);
    assert.equal(slots.total, 2);
    assert.equal(permitted(slots, 2), 0);
    first(true);
    assert.equal(slots.total, 1);
    again(true);
    assert.equal(slots.total, 0);
  });

  it('are limited in total', () => {
    const slots = new InFlight();
    for (let round = 0; round < 10; round += 1) fill(slots, names(1_000), round);
    assert.equal(slots.total, IN_FLIGHT_MAX);
    assert.equal(permitted(slots, 11, false, 'other'), 0);
  });

  it('that end say whether the endpoint may have more to send', () => {
    const slots = new InFlight();
    const [first, second] = fill(slots, ['e'], 0);
    assert.equal(first?.(true), true);
    const [ask] = slots.asksFor(candidatesOf(['e'], false), 1);
    assert.ok(ask);
    slots.claimed(ask, 0);
    assert.equal(second?.(true), false);
  });

  it('are free again once requests have ended', () => {
    const slots = new InFlight();
    for (const end of fill(slots, names(250), 0, true)) end(false);
    assert.equal(slots.total, 0);
    assert.equal(fill(slots, names(5_000), 1, true).length, SUSPECT_IN_FLIGHT_MAX);
  });
});

describe('endpoints that wait for slots', () => {
  /** Fills the slots of suspects. @returns the end of one of those requests */
  function filled(): { slots: InFlight; end: End } {
    const slots = new InFlight();
    const [end] = fill(slots, names(SUSPECT_IN_FLIGHT_MAX), 0, true);
    assert.ok(end);
    return { slots, end };
  }

  const turn = (slots: InFlight, candidates: Candidate[] = []) =>
    slots.asksFor(candidates, 1).map(({ webhook_id }) => webhook_id);

  it('get one that becomes free before the endpoint that had it', () => {
    const { slots, end } = filled();
    assert.deepEqual(turn(slots, candidatesOf(['waiting'], true)), []);
    assert.equal(slots.hasTurn(), false);
    end(false);
    assert.equal(slots.hasTurn(), true);
    assert.deepEqual(turn(slots, candidatesOf(['e0'], true)), ['waiting']);
  });

  it('are each asked for once, however often they were woken', () => {
    const { slots, end } = filled();
    for (let times = 0; times < 3; times += 1) turn(slots, candidatesOf(['waiting'], true));
    end(false);
    assert.deepEqual(turn(slots), ['waiting']);
    assert.equal(slots.hasTurn(), false);
  });

  it('take turns by user, those of one user in the order in which they came', () => {
    const slots = new InFlight();
    const ends = fill(slots, names(SUSPECT_IN_FLIGHT_MAX), 0, true);
    turn(slots, candidatesOf(['a1', 'a2', 'a3'], true, 'awa'));
    turn(slots, candidatesOf(['b1', 'b2'], true, 'binta'));
    turn(slots, candidatesOf(['c1'], true, 'cheikh'));
    for (const end of ends.slice(0, 6)) end(false);
    assert.deepEqual(turn(slots), ['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
  });

  it('work again meanwhile, and do not wait with those that fail then', () => {
    const { slots, end } = filled();
    turn(slots, candidatesOf(['waiting'], true));
    assert.deepEqual(turn(slots, candidatesOf(['waiting'], false)), ['waiting']);
    end(false);
    assert.deepEqual(turn(slots), []);
  });
});
