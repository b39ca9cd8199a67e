import { StartupError } from '@association-service/contracts/service';
import type { Sql, SqlDatabase } from '@association-service/contracts/subscriber';
import { keyIdIn, type SecretBox } from '../secrets/secret-box.ts';
import { changeSealed, listKeyIds, lockSealedOtherwise } from './webhook.store.ts';
import { placeOf } from '../secrets/message.ts';

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

/** Seals secrets that an earlier key has sealed with the current one, so that the earlier one can be removed. */
export async function resealSecrets(db: Pick<SqlDatabase, 'transaction'>, box: SecretBox): Promise<void> {
  const current = box.key_ids[0] ?? '';
  for (let count = 1; count > 0;) {
    count = await db.transaction(async (tx) => {
      const rows = await lockSealedOtherwise(tx, current);
      for (const { id, sealed_secret, old_secrets } of rows) {
        const reseal = (sealed: string) => box.seal(box.open(sealed, placeOf(id)), placeOf(id));
        await changeSealed(tx, id, {
          sealed_secret: reseal(sealed_secret),
          old_secrets: old_secrets.map((old) => ({ ...old, sealed: reseal(old.sealed) })),
        });
      }
      return rows.length;
    });
  }
}
