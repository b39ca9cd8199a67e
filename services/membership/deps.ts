import type { PinKeyRing } from '../../lib/pin/key-ring.ts';
import type { Foundation } from '../../lib/service/service-context.ts';
import type { PinOffer } from './pins/pin-keys.ts';
import type { PinJudge } from './pins/check-pin.ts';
import type { GatheredStatements } from './persistence/gathered.ts';

/** How long things may take. Tests shorten them; nothing else does. */
export interface MembershipTimings {
  sweep_every_ms: number;
  /** An ending that was not touched for so long was left half done: longer than any request drives it. */
  stale_after_ms: number;
  /** How long, and how often, an ending asks for requests that are being decided just now, before a sweep goes on. */
  undecided_wait_ms: number;
  undecided_poll_ms: number;
}

/**
 * An ending asks two services, each at most 5 s. Most requests are decided within 50 ms; governance waits 3 s for a
 * closure.
 */
export const DEFAULT_TIMINGS: MembershipTimings = {
  sweep_every_ms: 1_000,
  stale_after_ms: 10_000,
  undecided_wait_ms: 1_000,
  undecided_poll_ms: 20,
};

/** What the actions of this service stand on. */
export interface MembershipDeps {
  foundation: Foundation;
  ring: PinKeyRing;
  offer: PinOffer;
  pins: PinJudge;
  gathered: GatheredStatements;
  timings: MembershipTimings;
}

/** What its sagas stand on. */
export type SagaDeps = Pick<MembershipDeps, 'foundation' | 'timings'>;
