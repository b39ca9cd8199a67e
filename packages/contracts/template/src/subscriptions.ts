import { onContributionPaid } from './on-contribution-paid.ts';

/** The events that the service follows. The login at NATS must permit their consumers: see README.md. */
export const SUBSCRIPTIONS = [onContributionPaid];
