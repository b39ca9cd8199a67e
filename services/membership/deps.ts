import type { PinKeyRing } from '../../lib/pin/key-ring.ts';
import type { ServiceContext } from '../../lib/service/service-context.ts';
import type { EndingSaga } from './endings/ending.saga.ts';
import type { PinCheck } from './pins/check-pin.ts';
import type { PinKeyOffer } from './pins/pin-keys.ts';
import type { MembershipTimings } from './timings.ts';

/** The dependencies of membership's actions. */
export interface MembershipDeps extends ServiceContext {
  readonly timings: MembershipTimings;
  readonly ring: PinKeyRing;
  readonly pinKeyOffer: PinKeyOffer;
  readonly pinCheck: PinCheck;
  readonly endings: EndingSaga;
}
