import { call, type CanCall } from '@association-service/contracts/moleculer';
import type { Sql } from '@association-service/contracts/subscriber';
import { tell } from '../contracts.ts';
import { listUntold, markTold } from './notice.store.ts';

/** How many notices one run tells. There are few. */
const RUN_MAX_NOTICES = 100;

export interface NoticeDeps {
  db: Pick<Sql, 'rows' | 'run'>;
  broker: CanCall;
  clock: () => Date;
  reached: (step: string) => Promise<void>;
}

/**
 * Tells the owners of disabled endpoints, through the service that sends messages to users. A notice that is told twice is sent once
 * there.
 * @throws if that service cannot be reached: the next run tries again
 */
export async function tellOwners({ db, broker, clock, reached }: NoticeDeps): Promise<void> {
  for (const { id, user_id, association_id, url_host } of await listUntold(db, RUN_MAX_NOTICES)) {
    await call(broker, tell, { notice_id: id, user_id, association_id, kind: 'webhook_disabled', url_host });
    await reached('webhooks.notice.told');
    await markTold(db, id, clock());
  }
}
