import type { PinKeyRing } from '../../lib/pin/key-ring.ts';
import type { Foundation } from '../../lib/service/foundation.ts';
import type { PinJudge } from './actions/judge-pin.ts';

/** What the actions of this service stand on. */
export interface MembershipDeps {
  foundation: Foundation;
  ring: PinKeyRing;
  pins: PinJudge;
}
