/** The states of deliveries and endpoints, from which contracts, rules and SQL take theirs. */

/**
 * The states of a delivery: whether it waits to be sent, and which outcomes of an attempt may follow. Besides, users make any of them
 * `pending` by a retry.
 */
const DELIVERY_STATES = {
  pending: { isWaiting: true, next: ['pending', 'delivered', 'failed'] },
  delivered: { isWaiting: false, next: [] },
  // It was given up while an attempt was running, because its endpoint was disabled.
  failed: { isWaiting: false, next: ['delivered'] },
} as const;

export type DeliveryStatus = keyof typeof DELIVERY_STATES;
export const DELIVERY_STATUSES = Object.keys(DELIVERY_STATES) as DeliveryStatus[];

/** The states of an endpoint: whether it gets events. Users change both into the other; its own answers disable it. */
const WEBHOOK_STATES = {
  enabled: { isReceiving: true },
  disabled: { isReceiving: false },
} as const;

export type WebhookStatus = keyof typeof WEBHOOK_STATES;
export const WEBHOOK_STATUSES = Object.keys(WEBHOOK_STATES) as WebhookStatus[];

/** Why an endpoint is disabled: by a user, or by its own answers, of which its owner is told. */
export const DISABLED_REASONS = ['request', 'gone', 'failing'] as const;
export type DisabledReason = (typeof DISABLED_REASONS)[number];
export type OwnFault = Exclude<DisabledReason, 'request'>;

/** As literals of SQL: with parameters, PostgreSQL could not use the partial indexes. */
const sqlList = (states: readonly string[]) => states.map((state) => `'${state}'`).join(', ');

/** For `deliveries.status IN (…)`. */
export const WAITING = sqlList(DELIVERY_STATUSES.filter((status) => DELIVERY_STATES[status].isWaiting));

/** For `webhooks.status IN (…)`. */
export const RECEIVING = sqlList(WEBHOOK_STATUSES.filter((status) => WEBHOOK_STATES[status].isReceiving));

/** The moves by an attempt, for `(old status, outcome) IN (…)`. */
export const MOVES = DELIVERY_STATUSES.flatMap((from) =>
  DELIVERY_STATES[from].next.map((to) => `(${sqlList([from, to])})`),
).join(', ');
