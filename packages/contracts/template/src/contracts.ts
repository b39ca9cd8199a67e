/** What other services may call. */
import { always, command, fields as t } from '@association-service/contracts';

/** The service's name: its login at NATS, and the beginning of the names of its actions and consumers. */
export const NAME = 'newcomer';

/** Reads what the members of an association have contributed. */
export const paidTotal = command({
  name: `${NAME}.paid_total`,
  // It only reads, so that a call may be repeated on another node.
  reads: always,
  input: { association_id: t.associationId() },
  answer: t.object({
    contributions: t.integer(0, t.UNBOUNDED, 'How many contributions were paid.'),
    amount_minor: t.minor('Their sum in minor units.'),
    currency: t.nullable(t.currencyCode('ISO 4217; null if nothing was paid.')),
  }),
});
