/** Contracts of the service that stores associations, members, invitations and PINs. */
import { healthCommand } from './action.ts';

export { bindIdempotencyKey, freeIdempotencyKey } from './idempotency.ts';
export * from './membership/associations.ts';
export * from './membership/authorization.ts';
export * from './membership/invitations.ts';
export * from './membership/fine-rules.ts';
export * from './membership/members.ts';
export * from './membership/overview.ts';
export * from './membership/pins.ts';
export * from './membership/proposals.ts';
export * from './membership/rules.ts';

export const health = healthCommand('membership');
