import type { PinKeyRing } from '../../lib/pin/key-ring.ts';
import { SAGA_TIMINGS } from '../../lib/saga/timings.ts';
import type { ServiceContext } from '../../lib/service/service-context.ts';
import type { EndingSaga, EndingTimings } from './endings/ending.saga.ts';
import type { PinCheck } from './pins/check-pin.ts';
import type { PinKeyOffer } from './pins/pin-keys.ts';

/** How long things may take. Tests shorten them; nothing else does. */
export interface MembershipTimings extends EndingTimings {
  /** How often nodes exchange which PIN keys they have. */
  key_exchange_ms: number;
}

export const MEMBERSHIP_TIMINGS: MembershipTimings = {
  ...SAGA_TIMINGS,
  // Most requests are decided within 50 ms; governance waits 3 s for a closure.
  undecided_wait_ms: 1_000,
  undecided_poll_ms: 20,
  key_exchange_ms: 1_000,
};

/** What the actions of this service work with. */
export interface MembershipDeps extends ServiceContext {
  timings: MembershipTimings;
  ring: PinKeyRing;
  pinKeyOffer: PinKeyOffer;
  pinCheck: PinCheck;
  endings: EndingSaga;
}
