import type { SqlDatabase } from '@association-service/contracts/subscriber';
import { byKey } from '../sending/by-key.store.ts';
import { findReceivers } from './event.store.ts';

/**
 * Returns a function that wakes the endpoints of a stored event. Events that are committed together share a query. If it fails, the next
 * search for due deliveries finds them.
 */
export function wakeReceivers(
  db: Pick<SqlDatabase, 'transaction'>,
  wake: (webhook_ids: readonly string[]) => void,
): (event_id: string) => void {
  let event_ids: string[] = [];
  async function find(): Promise<void> {
    const ids = event_ids;
    event_ids = [];
    wake(await byKey(db, (tx) => findReceivers(tx, ids)));
  }
  return (event_id) => {
    event_ids.push(event_id);
    if (event_ids.length === 1) queueMicrotask(() => void find().catch(() => undefined));
  };
}
