import { SUBSCRIBER_TABLES, subscription } from '@association-service/contracts/subscriber';
import { REFUSED } from './refused.ts';

export const MIGRATIONS = [
  {
    name: '0001',
    statements: [
      ...SUBSCRIBER_TABLES,
      `CREATE TABLE amounts (
        position bigint GENERATED ALWAYS AS IDENTITY, association_id uuid NOT NULL, amount_minor integer NOT NULL)`,
    ],
  },
];

/** @param diesAfter the amount after whose commit, and before whose acknowledgement, the process is killed */
export const amounts = (durable: string, diesAfter?: string) =>
  subscription({
    durable,
    type: 'contribution.paid',
    handle: async ({ subject, data }, tx) => {
      await tx.run('INSERT INTO amounts (association_id, amount_minor) VALUES ($1, $2)', [subject, data.amount_minor]);
      if (data.member_id === REFUSED && process.env['REPAIRED'] === undefined) throw new Error('refused');
      if (String(data.amount_minor) === diesAfter) tx.afterCommit(() => process.kill(process.pid, 'SIGKILL'));
    },
  });
