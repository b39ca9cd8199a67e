import { StartupError } from '@association-service/contracts/service';
import type { Sql } from '@association-service/contracts/subscriber';
import { keyIdIn, type SecretBox } from '../secrets/secret-box.ts';
import { listKeyIds } from './webhook.store.ts';

/**
 * Refuses to start with a key that does not open the stored secrets: every delivery would fail.
 * @throws StartupError
 */
export async function requireKnownKeys(db: Pick<Sql, 'rows'>, { key_ids }: SecretBox): Promise<void> {
  const stored = await listKeyIds(db, keyIdIn(key_ids[0] ?? '').length);
  if (stored.every((key_id) => key_ids.includes(key_id))) return;
  throw new StartupError(
    'WEBHOOK_SECRET_KEY is not the key of this database: add the earlier one after the new one, with a comma between.',
  );
}
