import { TABLE_SERVICES, type TableService } from '../../lib/config/service-names.ts';
import { IDEMPOTENCY_KEY_SERVICE } from '../../lib/contracts/idempotency.ts';
import { KEY_LIFE_MS } from '../../lib/idempotency/claims.ts';
import { PAGE_ROWS } from '../verify/check.ts';
import type { Repair } from './repair.ts';

interface BoundKey {
  user_id: string;
  key: string;
  fingerprint: string;
  operation_id: string;
  claimed_at: Date;
}

/** Selects those of the operations in $1 whose effect the service has. */
const EFFECTS: Partial<Record<TableService, string>> = {
  contribution: `
    SELECT id FROM contributions WHERE id = ANY($1::uuid[]) UNION ALL SELECT id FROM settlements WHERE id = ANY($1::uuid[])
    UNION ALL SELECT id FROM cycles WHERE id = ANY($1::uuid[])`,
  treasury: `
    SELECT id FROM cash_deposits WHERE id = ANY($1::uuid[]) UNION ALL SELECT id FROM distributions WHERE id = ANY($1::uuid[])
    UNION ALL SELECT transfer_id FROM wallet_funding WHERE transfer_id = ANY($1::uuid[])`,
};

/** The keys that membership has bound for other services, as all services ask it to. */
const BOUND = `
  SELECT user_id, key, fingerprint, operation_id, claimed_at FROM idempotency_keys
  WHERE (user_id, key) > ($1, $2) AND answer IS NULL AND claimed_at > $3 ORDER BY user_id, key LIMIT $4`;

/**
 * Stores the idempotency keys again of effects that a service has lost and got back. A client that repeats its request with
 * the key resumes the operation, and gets its answer without a second effect.
 */
export async function redoKeys(repair: Repair): Promise<void> {
  const { tx, runtime } = repair;
  const since = new Date(runtime.clock().getTime() - KEY_LIFE_MS);
  for (let after = { user_id: '', key: '' }; ;) {
    const rows = await tx[IDEMPOTENCY_KEY_SERVICE].rows<BoundKey>(BOUND, [after.user_id, after.key, since, PAGE_ROWS]);
    for (const service of TABLE_SERVICES) {
      const effects = EFFECTS[service];
      if (effects === undefined) continue;
      const found = await tx[service].rows<{ id: string }>(effects, [rows.map(({ operation_id }) => operation_id)]);
      const ids = new Set(found.map(({ id }) => id));
      for (const row of rows) if (ids.has(row.operation_id)) await redoKey(repair, service, row);
    }
    after = rows.at(-1) ?? after;
    if (rows.length < PAGE_ROWS) return;
  }
}

async function redoKey(repair: Repair, service: TableService, bound: BoundKey): Promise<void> {
  const { user_id, key, fingerprint, operation_id, claimed_at } = bound;
  const stored = await repair.tx[service].run(
    `INSERT INTO idempotency_keys (user_id, key, fingerprint, operation_id, claimed_at) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT DO NOTHING`,
    [user_id, key, fingerprint, operation_id, claimed_at],
  );
  if (stored > 0) repair.did('keys', `store the idempotency key of operation ${operation_id} in ${service} again`);
}
