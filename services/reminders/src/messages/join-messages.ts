import type { SqlTransaction } from '@association-service/contracts/subscriber';
import { isAlwaysSent } from '../preferences/preferences.rules.ts';
import { lockKnownPerson } from '../preferences/preferences.store.ts';
import { joinFacts } from './joining.rules.ts';
import { lockWaiting, storeJoined, storeMessages, type NewMessage, type StoredMessage } from './messages.store.ts';

/**
 * Stores messages of one occasion, each once. One of a type that is always sent joins the message of that type that waits for the
 * person, which then tells what has happened last; it is stored as skipped, so that it is never told again.
 * @returns those that are new
 */
export async function storeOrJoin(tx: SqlTransaction, messages: readonly NewMessage[]): Promise<StoredMessage[]> {
  const joining = messages.filter(({ type, status }) => isAlwaysSent(type) && status === 'waiting');
  const stored = await storeMessages(
    tx,
    messages.filter((message) => !joining.includes(message)),
  );
  for (const message of joining) stored.push(...(await storeOne(tx, message)));
  return stored;
}

async function storeOne(tx: SqlTransaction, message: NewMessage): Promise<StoredMessage[]> {
  // Occasions of a person are stored one after another, so that of two that come at once one joins the other.
  await lockKnownPerson(tx, message.user_id);
  const waiting = await lockWaiting(tx, message);
  if (waiting === undefined) return storeMessages(tx, [message]);
  const stored = await storeMessages(tx, [{ ...message, status: 'skipped', reason: 'joined' }]);
  if (stored.length === 0) return [];
  const [earlier, later] = waiting.occurred_at > message.occurred_at ? [message, waiting] : [waiting, message];
  await storeJoined(tx, waiting.message_id, {
    facts: joinFacts(earlier.facts, later.facts),
    occurred_at: later.occurred_at,
    expires_at: later.expires_at,
  });
  return stored;
}
