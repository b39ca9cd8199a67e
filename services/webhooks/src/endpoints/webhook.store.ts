/** The SQL of `webhooks`. */
import type { Sql } from '@association-service/contracts/subscriber';
import { NEWEST_FIRST_START } from '../positions.rules.ts';
import type { OldSecret } from '../sending/claim.store.ts';
import type { DisabledReason, WebhookStatus } from '../states.rules.ts';

/** An endpoint without its secrets. */
export interface WebhookRow {
  id: string;
  association_id: string | null;
  url: string;
  types: string[];
  description: string | null;
  status: WebhookStatus;
  disabled_reason: DisabledReason | null;
  disabled_at: Date | null;
  created_at: Date;
}

/** An endpoint with its sealed secrets, under its lock. */
export interface LockedSecrets extends WebhookRow {
  sealed_secret: string;
  old_secrets: OldSecret[];
  secret_made_by: string;
}

const SHOWN = 'id, association_id, url, types, description, status, disabled_reason, disabled_at, created_at';
const ITS_OWNER = '(association_id IS NOT DISTINCT FROM $2::uuid) AND deleted_at IS NULL';

/** Returns the condition for an owner's endpoints, in a form with which PostgreSQL uses the index. */
function ofOwner(association_id: string | null): string {
  return `${association_id === null ? 'association_id IS NULL AND $1::uuid IS NULL' : 'association_id = $1'} AND deleted_at IS NULL`;
}

/** Names an endpoint of an owner: an association, or null for endpoints of all associations. */
export interface WebhookOf {
  association_id: string | null;
  webhook_id: string;
}

const FIND = { name: 'webhooks.find', text: `SELECT ${SHOWN} FROM webhooks WHERE id = $1 AND ${ITS_OWNER}` };

export function findWebhook(
  db: Pick<Sql, 'first'>,
  { webhook_id, association_id }: WebhookOf,
): Promise<WebhookRow | undefined> {
  return db.first(FIND, [webhook_id, association_id]);
}

/** As findWebhook(); no other can change or delete it until the transaction ends. */
export function lockWebhook(
  tx: Pick<Sql, 'first'>,
  { webhook_id, association_id }: WebhookOf,
): Promise<LockedSecrets | undefined> {
  return tx.first(
    `SELECT ${SHOWN}, sealed_secret, old_secrets, secret_made_by FROM webhooks
     WHERE id = $1 AND ${ITS_OWNER} FOR NO KEY UPDATE`,
    [webhook_id, association_id],
  );
}

/** An arbitrary number that separates this kind of lock from others. */
const LIMIT_LOCK = 20_260;

/** Counts an owner's endpoints, after those that are being added: until the transaction ends, no other can be added. */
export async function countAlone(tx: Pick<Sql, 'run' | 'first'>, association_id: string | null): Promise<number> {
  await tx.run('SELECT pg_advisory_xact_lock($1, hashtext($2))', [LIMIT_LOCK, association_id ?? 'all']);
  const row = await tx.first<{ count: number }>(
    `SELECT count(*)::integer AS count FROM webhooks WHERE ${ofOwner(association_id)}`,
    [association_id],
  );
  return row?.count ?? 0;
}

export type NewWebhook = Pick<WebhookRow, 'id' | 'association_id' | 'url' | 'types' | 'description'> & {
  sealed_secret: string;
  created_by_user_id: string;
};

export async function addWebhook(tx: Pick<Sql, 'run'>, webhook: NewWebhook, now: Date): Promise<void> {
  const { id, association_id, url, types, description, sealed_secret, created_by_user_id } = webhook;
  await tx.run(
    `INSERT INTO webhooks (id, association_id, url, types, description, status, sealed_secret, secret_made_by,
       created_by_user_id, created_at)
     VALUES ($1, $2, $3, $4, $5, 'enabled', $6, $1, $7, $8)`,
    [id, association_id, url, types, description, sealed_secret, created_by_user_id, now],
  );
}

/**
 * Stores what a user may change.
 * @param isRepaired whether its failures until now count no longer, also those of requests that are running
 */
export async function changeWebhook(tx: Pick<Sql, 'run'>, changed: WebhookRow, isRepaired: boolean): Promise<void> {
  const { id, url, types, description, status, disabled_reason, disabled_at } = changed;
  await tx.run(
    `UPDATE webhooks SET url = $2, types = $3, description = $4, status = $5, disabled_reason = $6, disabled_at = $7,
       failing_since = CASE WHEN $8 THEN NULL ELSE failing_since END, repairs = repairs + $8::boolean::integer
     WHERE id = $1`,
    [id, url, types, description, status, disabled_reason, disabled_at, isRepaired],
  );
}

export async function changeSecret(
  tx: Pick<Sql, 'run'>,
  id: string,
  {
    sealed_secret,
    old_secrets,
    secret_made_by,
  }: Pick<LockedSecrets, 'sealed_secret' | 'old_secrets' | 'secret_made_by'>,
): Promise<void> {
  await tx.run('UPDATE webhooks SET sealed_secret = $2, old_secrets = $3, secret_made_by = $4 WHERE id = $1', [
    id,
    sealed_secret,
    JSON.stringify(old_secrets),
    secret_made_by,
  ]);
}

/** Hides an endpoint from all, and forgets its URL and secrets. Upkeep deletes its deliveries, and it a day after its last replay. */
export async function markDeleted(tx: Pick<Sql, 'run'>, id: string, now: Date): Promise<void> {
  await tx.run(`UPDATE webhooks SET deleted_at = $2, url = '', sealed_secret = '', old_secrets = '[]' WHERE id = $1`, [
    id,
    now,
  ]);
}

/**
 * Lists the endpoints of an owner, newest first.
 * @param after `created_at` and id of an endpoint
 */
export function listWebhooks(
  db: Pick<Sql, 'rows'>,
  association_id: string | null,
  after: readonly string[] | null,
  limit: number,
): Promise<WebhookRow[]> {
  return db.rows(
    `SELECT ${SHOWN} FROM webhooks
     WHERE ${ofOwner(association_id)}
       AND (created_at, id) < ($2::timestamptz, $3::uuid)
     ORDER BY created_at DESC, id DESC LIMIT $4`,
    [association_id, ...(after ?? NEWEST_FIRST_START), limit],
  );
}

/** Returns the ids of the keys with which secrets are sealed. */
export async function listKeyIds(db: Pick<Sql, 'rows'>, key_id_length: number): Promise<string[]> {
  const rows = await db.rows<{ key_id: string }>(
    `SELECT DISTINCT left(sealed, $1) AS key_id FROM (
       SELECT sealed_secret AS sealed FROM webhooks WHERE deleted_at IS NULL
       UNION ALL
       SELECT old->>'sealed' FROM webhooks, jsonb_array_elements(old_secrets) old WHERE deleted_at IS NULL
     ) all_secrets`,
    [key_id_length],
  );
  return rows.map(({ key_id }) => key_id);
}

/** How many secrets one transaction seals again. */
const RESEAL_MAX_ROWS = 100;

/** Locks endpoints with a secret that another key than this one has sealed. */
export function lockSealedOtherwise(
  tx: Pick<Sql, 'rows'>,
  key_id: string,
): Promise<Pick<LockedSecrets, 'id' | 'sealed_secret' | 'old_secrets'>[]> {
  return tx.rows(
    `SELECT id, sealed_secret, old_secrets FROM webhooks
     WHERE deleted_at IS NULL AND (NOT starts_with(sealed_secret, $1)
       OR EXISTS (SELECT FROM jsonb_array_elements(old_secrets) old WHERE NOT starts_with(old->>'sealed', $1)))
     ORDER BY id LIMIT $2 FOR NO KEY UPDATE`,
    [key_id, RESEAL_MAX_ROWS],
  );
}

/** Stores the same secrets, sealed again. */
export async function changeSealed(
  tx: Pick<Sql, 'run'>,
  id: string,
  { sealed_secret, old_secrets }: Pick<LockedSecrets, 'sealed_secret' | 'old_secrets'>,
): Promise<void> {
  await tx.run('UPDATE webhooks SET sealed_secret = $2, old_secrets = $3 WHERE id = $1', [
    id,
    sealed_secret,
    JSON.stringify(old_secrets),
  ]);
}
