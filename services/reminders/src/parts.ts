/** What the parts of the service work with. */
import type { ServiceParts } from '@association-service/contracts/service';
import type { Channels } from './channels/channels.ts';
import type { Meter } from './metrics.ts';
import type { Outside } from './outside.ts';

export interface Parts extends Pick<ServiceParts, 'db' | 'log' | 'clock' | 'newId' | 'reached'> {
  /** What other services answer. */
  readonly outside: Outside;
  /** The ways to a person that the settings name. */
  readonly channels: Channels;
  readonly meter: Meter;
  /** From it the codes are derived that confirm addresses. */
  readonly codeKey: string;
}
