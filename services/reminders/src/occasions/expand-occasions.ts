import { faultOf } from '../faults.ts';
import { findGroup } from '../groups/learn-group.ts';
import type { Group } from '../groups/groups.store.ts';
import { newMessages } from '../messages/new-messages.ts';
import { nextTry } from '../messages/messages.rules.ts';
import { storeMessages } from '../messages/messages.store.ts';
import type { Parts } from '../parts.ts';
import { advance, claimOccasions, drop, retryLater, type Occasion } from './occasions.store.ts';
import { readRecipients } from './recipients.ts';

/** Groups in one zone have their day at the same time, so that many are due at once. */
const BATCH_ROWS = 20;

/** Turns the occasions that are due into messages: one for each person and channel. */
export async function expandOccasions(parts: Parts): Promise<void> {
  for (;;) {
    const occasions = await claimOccasions(parts.db, parts.clock(), BATCH_ROWS);
    await Promise.all(occasions.map((occasion) => expand(parts, occasion)));
    if (occasions.length < BATCH_ROWS) return;
  }
}

/** The next run tries again what fails here. */
async function expand(parts: Parts, occasion: Occasion): Promise<void> {
  const { db, clock, log } = parts;
  const { occasion_id, type, expires_at, failures } = occasion;
  try {
    if (expires_at <= clock()) await drop(db, occasion_id, 'too_late');
    else await storePages(parts, occasion);
  } catch (error) {
    log.warn('reminders: an occasion will be tried again', { occasion_id, type, ...faultOf(error) });
    await retryLater(db, occasion_id, nextTry(failures + 1, clock()));
  }
}

async function storePages(parts: Parts, occasion: Occasion): Promise<void> {
  const { db, reached } = parts;
  const { occasion_id, association_id } = occasion;
  const group = association_id === null ? null : await findGroup(parts, association_id);
  if (group === undefined) return drop(db, occasion_id, 'no_longer_due');
  for (let left: Occasion | undefined = occasion; left !== undefined;) {
    left = await storePage(parts, left, group);
    await reached('reminders.page_stored');
  }
}

/** @returns the occasion with the rest of its recipients; undefined if there are none */
async function storePage(parts: Parts, occasion: Occasion, group: Group | null): Promise<Occasion | undefined> {
  const { db, reached, meter } = parts;
  const { occasion_id } = occasion;
  const page = await readRecipients(parts, occasion);
  if (page === undefined) {
    await drop(db, occasion_id, 'no_longer_due');
    return undefined;
  }
  const { recipients, next } = page;
  const messages = await newMessages(parts, occasion, group, recipients);
  await reached('reminders.page_read');
  const isStored = await db.transaction(async (tx) => {
    const isCurrent = await advance(tx, occasion_id, next);
    if (isCurrent) await storeMessages(tx, messages);
    return isCurrent;
  });
  if (!isStored) return undefined;
  for (const { type, channel, status, reason } of messages) {
    if (status === 'skipped') meter.done(type, channel, 'skipped', reason);
  }
  return next === null ? undefined : { ...occasion, after_member_id: next };
}
