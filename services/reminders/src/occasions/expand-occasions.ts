import { faultOf } from '../faults.ts';
import { findGroup } from '../groups/learn-group.ts';
import type { Group } from '../groups/groups.store.ts';
import { newMessages } from '../messages/new-messages.ts';
import { nextTryAway } from '../messages/messages.rules.ts';
import type { Reason } from '../message-types.rules.ts';
import { storeOrJoin } from '../messages/join-messages.ts';
import type { StoredMessage } from '../messages/messages.store.ts';
import type { Parts } from '../parts.ts';
import { advance, claimOccasions, drop, giveBack, retryLater, type Occasion } from './occasions.store.ts';
import { readRecipients } from './recipients.ts';

/** Groups in one zone have their day at the same time, so that many are due at once. */
const BATCH_ROWS = 20;

/** Turns the occasions that are due into messages: one for each person and channel. It ends once `stopping` is aborted. */
export async function expandOccasions(parts: Parts, stopping: AbortSignal): Promise<void> {
  while (!stopping.aborted) {
    const occasions = await claimOccasions(parts.db, parts.clock(), BATCH_ROWS);
    await Promise.all(occasions.map((occasion) => expand(parts, occasion, stopping)));
    if (occasions.length < BATCH_ROWS) return;
  }
}

/** A later run tries again what fails here. */
async function expand(parts: Parts, occasion: Occasion, stopping: AbortSignal): Promise<void> {
  const { db, clock, log } = parts;
  const { occasion_id, type, expires_at, failures } = occasion;
  try {
    if (expires_at <= clock()) await giveUp(parts, occasion, 'too_late');
    else await storePages(parts, occasion, stopping);
  } catch (error) {
    log.warn('reminders: an occasion will be tried again', { occasion_id, type, ...faultOf(error) });
    await retryLater(db, occasion_id, nextTryAway(failures + 1, clock()));
  }
}

/** Ends an occasion that was due, and counts it. */
async function giveUp({ db, log, meter }: Parts, { occasion_id, type }: Occasion, reason: Reason): Promise<void> {
  if (!(await drop(db, occasion_id, reason))) return;
  meter.dropped(type, reason);
  log.info('reminders: an occasion was dropped', { occasion_id, type, reason });
}

async function storePages(parts: Parts, occasion: Occasion, stopping: AbortSignal): Promise<void> {
  const { db, reached } = parts;
  const { occasion_id, association_id } = occasion;
  const group = association_id === null ? null : await findGroup(parts, association_id);
  if (group === undefined) return giveUp(parts, occasion, 'no_longer_due');
  for (let left: Occasion | undefined = occasion; left !== undefined;) {
    if (stopping.aborted) return giveBack(db, occasion_id);
    left = await storePage(parts, left, group);
    await reached('reminders.page_stored');
  }
}

/** @returns the occasion with the rest of its recipients; undefined if there are none */
async function storePage(parts: Parts, occasion: Occasion, group: Group | null): Promise<Occasion | undefined> {
  const { db, reached } = parts;
  const { occasion_id } = occasion;
  const page = await readRecipients(parts, occasion);
  if (page === undefined) {
    await giveUp(parts, occasion, 'no_longer_due');
    return undefined;
  }
  const { recipients, next } = page;
  const messages = await newMessages(parts, occasion, group, recipients);
  await reached('reminders.page_read');
  const stored = await db.transaction(async (tx) =>
    (await advance(tx, occasion_id, next)) ? storeOrJoin(tx, messages) : undefined,
  );
  if (stored === undefined) return undefined;
  for (const each of stored) if (each.status === 'skipped') reportSkipped(parts, each);
  return next === null ? undefined : { ...occasion, after_member_id: next };
}

/** Only those that are new: after a crash, the same messages are made again. */
function reportSkipped({ log, meter }: Parts, { message_id, type, channel, reason }: StoredMessage): void {
  meter.done(type, channel, 'skipped', reason);
  log.info('reminders: a message was skipped', { message_id, type, channel, reason });
}
