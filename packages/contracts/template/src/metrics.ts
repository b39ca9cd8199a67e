/** The service's own metrics, beside those that every service has. */
import { REGISTRY } from '@association-service/contracts/service';
import { Counter } from 'prom-client';

export const counted = new Counter({
  name: 'newcomer_contributions_counted_total',
  help: 'Contributions that were added to a total.',
  registers: [REGISTRY],
});
