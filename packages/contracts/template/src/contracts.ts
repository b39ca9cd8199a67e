/** What the service offers: its routes below `/association-service/api/v1`, and the actions that answer them. */
import { chapter, fields as t, route, type ServiceApi } from '@association-service/contracts';

/** The service's name: its login at NATS, and the beginning of the names of its actions and consumers. */
export const NAME = 'newcomer';

const TAG = 'Newcomer';
const endpoint = chapter(TAG);

/** Reads what the members of an association have contributed. */
export const getPaidTotal = endpoint({
  name: `${NAME}.get_paid_total`,
  summary: 'Get the total of contributions',
  description: 'What members have contributed in all, as far as this service has followed the events.',
  path: t.inAssociation,
  answer: t.record('PaidTotal', {
    contributions: t.integer(0, t.UNBOUNDED, 'How many contributions were paid.', 12),
    amount: t.money('Their sum.', 120_000),
    currency: t.nullable(t.currencyCode('ISO 4217; null if nothing was paid.')),
  }),
});

/** What gateways learn from a running process: they route these requests to it, and show them in their documents. */
export const API: ServiceApi = {
  tags: { [TAG]: 'What the members of a group have contributed in all.' },
  routes: [route('GET', '/associations/:association_id/paid-total', getPaidTotal)],
};
