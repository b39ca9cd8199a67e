/** A simulation with the rules by which endpoints get slots: no network, no database, and a clock of its own. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Candidate } from '../src/sending/claim.store.ts';
import { POLL_EVERY_MS } from '../src/sending/dispatcher.ts';
import { InFlight } from '../src/sending/in-flight.ts';
import { OWNER_SUSPECT_MAX } from '../src/sending/slots.ts';

/** How long a request to a receiver that never answers takes, and one to a receiver that answers. */
const HANGS_MS = 15_000;
const ANSWERS_MS = 50;
const STEP_MS = 50;

const HANGING = 300;
const HONEST = 12;
/** When something becomes due for the honest endpoints: the others have the slots by then. */
const HONEST_FROM_MS = 20_000;

interface Simulated extends Candidate {
  hangs: boolean;
  due_from_ms: number;
  /** When its first request began. */
  began_ms?: number;
}

/** All have failed once. The ids of those that hang come first, as the searches go by id. */
function endpointsOf(hanging_owners: number): Simulated[] {
  const hanging = Array.from({ length: HANGING }, (_, index) => ({
    webhook_id: `a${String(index).padStart(3, '0')}`,
    owner_id: `hanging ${String(index % hanging_owners)}`,
    is_failing: true,
    hangs: true,
    due_from_ms: 0,
  }));
  const honest = Array.from({ length: HONEST }, (_, index) => ({
    webhook_id: `b${String(index)}`,
    owner_id: `honest ${String(index)}`,
    is_failing: true,
    hangs: false,
    due_from_ms: HONEST_FROM_MS,
  }));
  return [...hanging, ...honest];
}

/** Lets time pass. There is always more that is due for those that hang, and one delivery for the honest ones. */
function simulate(endpoints: Simulated[], until_ms: number): void {
  const slots = new InFlight();
  const byId = new Map(endpoints.map((each) => [each.webhook_id, each]));
  const running = new Map<number, (() => void)[]>();
  const isDue = ({ hangs, due_from_ms, began_ms }: Simulated, now_ms: number) =>
    now_ms >= due_from_ms && (hangs || began_ms === undefined);

  function wake(woken: Simulated[], now_ms: number): void {
    const candidates: Candidate[] = [...woken];
    do {
      for (const ask of slots.asksFor(candidates.splice(0), now_ms)) claim(ask, now_ms);
    } while (slots.hasTurn());
  }
  function claim(ask: ReturnType<InFlight['asksFor']>[number], now_ms: number): void {
    const endpoint = byId.get(ask.webhook_id);
    if (endpoint === undefined || !isDue(endpoint, now_ms)) return slots.claimed(ask, 0);
    endpoint.began_ms ??= now_ms;
    const end = slots.begin(endpoint, now_ms);
    slots.claimed(ask, 1);
    const end_ms = now_ms + (endpoint.hangs ? HANGS_MS : ANSWERS_MS);
    const ends = running.get(end_ms) ?? [];
    running.set(end_ms, [...ends, () => wake(end(!endpoint.hangs) ? [endpoint] : [], end_ms)]);
  }
  for (let now_ms = 0; now_ms <= until_ms; now_ms += STEP_MS) {
    for (const end of running.get(now_ms) ?? []) end();
    running.delete(now_ms);
    if (now_ms % POLL_EVERY_MS === 0) {
      wake(
        endpoints.filter((each) => isDue(each, now_ms)),
        now_ms,
      );
    }
  }
}

const slowest = (endpoints: Simulated[]) =>
  Math.max(...endpoints.map(({ began_ms = Infinity, due_from_ms }) => began_ms - due_from_ms));

describe('endpoints that have failed once, beside 300 that never answer', () => {
  it('get their attempt with the next search, if those belong to three users', () => {
    const endpoints = endpointsOf(3);
    simulate(endpoints, HONEST_FROM_MS + POLL_EVERY_MS);
    assert.ok(slowest(endpoints.filter(({ hangs }) => !hangs)) <= POLL_EVERY_MS);
  });

  it('get it once a request ends, if those belong to so many users that they have all slots', () => {
    const endpoints = endpointsOf(60);
    simulate(endpoints, HONEST_FROM_MS + HANGS_MS);
    assert.ok(slowest(endpoints.filter(({ hangs }) => !hangs)) <= HANGS_MS);
  });

  it('leave those their turns too: all of a user get an attempt one after another', () => {
    const endpoints = endpointsOf(3);
    const turns = Math.ceil(HANGING / 3 / OWNER_SUSPECT_MAX);
    simulate(endpoints, turns * HANGS_MS);
    assert.ok(slowest(endpoints) <= turns * HANGS_MS);
  });
});
