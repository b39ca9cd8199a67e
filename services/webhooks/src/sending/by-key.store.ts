/** Statements that read a few rows of a large table by their keys. */
import type { SqlDatabase, SqlTransaction } from '@association-service/contracts/subscriber';

const BY_KEY = {
  name: 'webhooks.plan_by_key',
  text: `SELECT set_config('enable_seqscan', 'off', true), set_config('enable_hashjoin', 'off', true),
           set_config('enable_mergejoin', 'off', true)`,
};

/** Makes the plans of the transaction use indexes. */
function planByKey(tx: Pick<SqlTransaction, 'send'>): void {
  tx.send(BY_KEY);
}

/**
 * Runs `work` in a transaction whose plans use indexes. A statement with a name keeps its plan: one that was made while there were few
 * deliveries read all of them for each endpoint, until PostgreSQL had analyzed the table a minute later.
 */
export function byKey<T>(db: Pick<SqlDatabase, 'transaction'>, work: (tx: SqlTransaction) => Promise<T>): Promise<T> {
  return db.transaction((tx) => {
    planByKey(tx);
    return work(tx);
  });
}
