/** Changes of the addresses of a person, in the transaction of the request. */
import type { SqlTransaction } from '@association-service/contracts/subscriber';
import { refuse } from '../errors.ts';
import { noticeTo, skipWaiting } from '../messages/messages.store.ts';
import type { Parts } from '../parts.ts';
import { HOUR_MS } from '../times/zones.rules.ts';
import { addressHash, CODE_LIFE_MS, isCode, WRONG_TRIES_MAX } from './codes.rules.ts';
import { countCode } from './code-requests.store.ts';
import type { Channel } from './preferences.rules.ts';
import { deleteAddress, storeAddress, type StoredAddress } from './preferences.store.ts';

/** A notice to an address that is no longer used holds the address until it is sent, or this time is over. */
const NOTICE_LIFE_MS = 24 * HOUR_MS;

type AddressParts = Pick<Parts, 'clock' | 'newId' | 'codeKey'>;

/** Removes an address at once, with all messages to it that were not sent. The address itself gets a last notice. */
export async function removeAddress(
  parts: AddressParts,
  tx: SqlTransaction,
  user_id: string,
  channel: Channel,
  stored: StoredAddress | undefined,
): Promise<void> {
  if (stored === undefined) return;
  await skipWaiting(tx, user_id, channel, 'no_address');
  await deleteAddress(tx, user_id, channel);
  if (stored.in_use !== null) await tellOldAddress(parts, tx, user_id, channel, stored.in_use, 'removed');
}

/**
 * Sets an address. Unless it is the confirmed one, a code is sent to it, and the confirmed one stays in use until then.
 * @throws too_many_codes
 */
export async function setAddress(
  parts: AddressParts,
  tx: SqlTransaction,
  user_id: string,
  channel: Channel,
  address: string,
  stored: StoredAddress | undefined,
): Promise<void> {
  const in_use = stored?.in_use ?? null;
  const settled = { address, in_use, code_id: null, code_expires_at: null, wrong_tries: 0 };
  if (address === in_use) {
    await storeAddress(tx, user_id, channel, settled);
    return;
  }
  const now = parts.clock();
  const code_id = parts.newId();
  const request = { code_id, user_id, address_hash: addressHash(parts.codeKey, address) };
  const next_at = await countCode(tx, request, now);
  if (next_at !== undefined) {
    throw refuse('too_many_codes', { retry_after_s: Math.ceil((next_at.getTime() - now.getTime()) / 1_000) });
  }
  const code_expires_at = new Date(now.getTime() + CODE_LIFE_MS);
  await storeAddress(tx, user_id, channel, { ...settled, code_id, code_expires_at });
  await noticeTo(tx, {
    message_id: parts.newId(),
    occasion_key: `confirm_address:${code_id}`,
    user_id,
    channel,
    type: 'confirm_address',
    facts: { channel, code_id },
    to_address: address,
    created_at: now,
    expires_at: code_expires_at,
  });
}

/**
 * Confirms an address by its code.
 * @returns undefined if it is confirmed, or how many tries are left; null if no code can confirm the address any more
 */
export async function confirmAddress(
  parts: AddressParts,
  tx: SqlTransaction,
  user_id: string,
  channel: Channel,
  code: string,
  stored: StoredAddress | undefined,
): Promise<number | null | undefined> {
  if (stored?.code_id == null || stored.code_expires_at === null) return null;
  const isOver = stored.code_expires_at.getTime() <= parts.clock().getTime();
  if (isOver || stored.wrong_tries >= WRONG_TRIES_MAX) return null;
  if (!isCode(code, parts.codeKey, stored.code_id)) {
    const wrong_tries = stored.wrong_tries + 1;
    await storeAddress(tx, user_id, channel, { ...stored, wrong_tries });
    return WRONG_TRIES_MAX - wrong_tries;
  }
  const { address, in_use } = stored;
  await storeAddress(tx, user_id, channel, {
    address,
    in_use: address,
    code_id: null,
    code_expires_at: null,
    wrong_tries: 0,
  });
  if (in_use !== null) await tellOldAddress(parts, tx, user_id, channel, in_use, 'replaced');
  return undefined;
}

/** A person who has taken over the account cannot make its owner's notices end unseen. */
async function tellOldAddress(
  { clock, newId }: AddressParts,
  tx: SqlTransaction,
  user_id: string,
  channel: Channel,
  to_address: string,
  change: 'replaced' | 'removed',
): Promise<void> {
  const message_id = newId();
  const now = clock();
  await noticeTo(tx, {
    message_id,
    occasion_key: `address_changed:${message_id}`,
    user_id,
    channel,
    type: 'address_changed',
    facts: { channel, change },
    to_address,
    created_at: now,
    expires_at: new Date(now.getTime() + NOTICE_LIFE_MS),
  });
}
