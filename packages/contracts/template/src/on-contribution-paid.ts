import { subscription } from '@association-service/contracts/subscriber';
import { NAME } from './contracts.ts';
import { counted } from './metrics.ts';
import { addContribution } from './paid-total.store.ts';

/** Counts each contribution once: `tx` is the transaction that marks the event as handled. */
export const onContributionPaid = subscription({
  durable: `${NAME}-contribution-paid`,
  type: 'contribution.paid',
  handle: async ({ subject, data }, tx) => {
    if (subject === undefined) return;
    await addContribution(tx, subject, data);
    tx.afterCommit(() => counted.inc());
  },
});
