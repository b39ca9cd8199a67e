/** Sends the messages that are due. */
import { spannedByEvent } from '@association-service/contracts/subscriber';
import type { Reason } from '../message-types.rules.ts';
import { setTimeout as delay } from 'node:timers/promises';
import { faultOf } from '../faults.ts';
import { readGroups } from '../groups/groups.store.ts';
import type { Sender } from '../channels/channels.ts';
import type { Parts } from '../parts.ts';
import { isAlwaysSent, isWanted, type Channel } from '../preferences/preferences.rules.ts';
import { readPeople, type Person } from '../preferences/preferences.store.ts';
import { afterQuietHours } from '../times/quiet-hours.rules.ts';
import { checkMessages, type Finding } from './check-messages.ts';
import { countMessage } from './counts.store.ts';
import { limitsOf } from './limits.rules.ts';
import { nextTry, nextTryAway, type Outcome } from './messages.rules.ts';
import {
  askLater,
  claimMessages,
  conclude,
  confirmHolds,
  giveBack,
  handOver,
  LEASE_MS,
  postpone,
  renewLeases,
  type HeldMessage,
} from './sending.store.ts';
import { reportUnknown } from './recover-messages.ts';
import { writeFor } from './write-message.ts';
import type { Group } from '../groups/groups.store.ts';

/** Enough to share its checks. */
const BATCH_ROWS = 20;
/** At once, for one channel and process. */
const PARALLEL = 4;

/** Leases are renewed so often that two renewals may fail. */
const RENEW_EVERY_MS = LEASE_MS / 3;

/** A message may be sent days after its event: it has a trace of its own. */
const NO_CAUSE = () => ({});

/**
 * Returns a function that sends all that is due on a channel, until `stopping` is aborted. After an outcome that is not known, it waits
 * and then sends one message at a time until one has an answer: otherwise an outage behind an SMS gateway would use up all messages.
 */
export function sendingOn(parts: Parts, channel: Channel): (stopping: AbortSignal) => Promise<void> {
  const { db, clock, reached } = parts;
  let doubts = 0;
  let resume_at = new Date(0);
  return async (stopping) => {
    while (!stopping.aborted && clock() >= resume_at) {
      const messages = await claimMessages(db, channel, clock(), BATCH_ROWS);
      if (messages.length === 0) return;
      await reached('reminders.claimed');
      const { isDown, isInDoubt } = await sendBatch(parts, channel, messages, doubts === 0 ? PARALLEL : 1, stopping);
      doubts = isInDoubt ? doubts + 1 : 0;
      if (isInDoubt) resume_at = nextTryAway(doubts, clock());
      if (isDown) return;
    }
  };
}

/** What is known about the messages of a batch. */
interface Batch {
  sender: Sender | undefined;
  people: ReadonlyMap<string, Person>;
  groups: ReadonlyMap<string, Group>;
  findings: ReadonlyMap<string, Finding>;
  /** Set once the channel cannot be reached: the other messages are postponed. */
  isDown: boolean;
  /** Set once it is not known whether a message was taken: the other messages are given back, and stay due. */
  isInDoubt: boolean;
}

/** Holds the messages while it sends them. @returns the batch, which says how the channel has answered */
async function sendBatch(
  parts: Parts,
  channel: Channel,
  messages: readonly HeldMessage[],
  parallel: number,
  stopping: AbortSignal,
): Promise<Batch> {
  const { db, log } = parts;
  const renew = () => {
    renewLeases(db, messages).catch((error: unknown) => log.warn('reminders: leases were not renewed', faultOf(error)));
  };
  const renewing = setInterval(renew, RENEW_EVERY_MS);
  const left = [...messages];
  try {
    const batch = await batchOf(parts, channel, messages);
    const work = async () => {
      while (!stopping.aborted && !batch.isInDoubt) {
        const message = left.shift();
        if (message === undefined) return;
        await sendOne(parts, batch, message);
      }
    };
    await Promise.all(Array.from({ length: parallel }, work));
    return batch;
  } finally {
    clearInterval(renewing);
    await giveBack(db, left);
  }
}

/** Reads what is needed for messages. */
async function batchOf(parts: Parts, channel: Channel, messages: readonly HeldMessage[]): Promise<Batch> {
  const { db, channels } = parts;
  const [people, groups, findings] = await Promise.all([
    readPeople(db, [...new Set(messages.map(({ user_id }) => user_id))]),
    readGroups(db, [...new Set(messages.flatMap(({ association_id }) => association_id ?? []))]),
    checkMessages(parts, messages),
  ]);
  return { sender: channels.get(channel), people, groups, findings, isDown: false, isInDoubt: false };
}

/** A message with all that is needed to send it. */
interface Ready {
  to: string;
  group: Group | null;
  person: Person;
  message: HeldMessage;
}

async function sendOne(parts: Parts, batch: Batch, message: HeldMessage): Promise<void> {
  const { db, clock, log } = parts;
  const { message_id, type, channel, failures } = message;
  try {
    const decided = decide(parts, batch, message);
    if ('skip' in decided) await skip(parts, batch, message, decided.skip);
    else if ('wait_until' in decided) await postpone(db, message, decided.wait_until, failures);
    else if ('ask_at' in decided) await askLater(db, message, decided.ask_at);
    else if (batch.isDown) await postpone(db, message, nextTry(1, clock()), failures);
    else await attemptWithinLimits(parts, batch, decided);
  } catch (error) {
    log.error('reminders: a message could not be handled', { message_id, type, channel, ...faultOf(error) });
    // If this fails too, or the other side may have it, the lease ends, and it is recovered as its last step permits.
    await askLater(db, message, nextTry(1, clock())).catch(() => undefined);
  }
}

/** Decides whether a message can be sent now. */
function decide(
  { clock, channels }: Parts,
  { people, groups, findings }: Batch,
  message: HeldMessage,
): { skip: Reason } | { wait_until: Date } | { ask_at: Date } | Ready {
  const { user_id, channel, type, association_id, to_address, expires_at, failures, message_id } = message;
  const now = clock();
  const person = people.get(user_id);
  const finding = findings.get(message_id);
  const to = to_address ?? person?.addresses[channel]?.in_use;
  if (expires_at <= now) return { skip: failures > 0 ? 'unreachable' : 'too_late' };
  if (!channels.has(channel)) return { skip: 'no_channel' };
  if (person === undefined || to == null) return { skip: 'no_address' };
  const { preferences, addresses } = person;
  if (type === 'confirm_address' && addresses[channel]?.code_id !== message.facts.code_id)
    return { skip: 'no_longer_due' };
  const isDeselected = !isAlwaysSent(type) && !preferences.channels.includes(channel);
  if (isDeselected || !isWanted(preferences, type)) return { skip: 'not_wanted' };
  if (finding === undefined || finding === 'unknown') return { ask_at: nextTry(1, now) };
  if ('skip' in finding) return finding;
  const group = association_id === null ? null : groups.get(association_id);
  if (group === undefined) return { skip: 'no_longer_due' };
  if (group !== null && !isAlwaysSent(type)) {
    const wait_until = afterQuietHours(preferences.quiet_hours, group.time_zone, now);
    if (wait_until > now) return wait_until >= expires_at ? { skip: 'too_late' } : { wait_until };
  }
  return { to, group, person, message: { ...message, facts: finding.facts } };
}

async function skip(parts: Parts, { groups, people }: Batch, message: HeldMessage, reason: Reason): Promise<void> {
  const { type, channel, user_id, association_id, message_id } = message;
  const group = association_id === null ? null : groups.get(association_id);
  const language = people.get(user_id)?.preferences.language;
  const isWritten = group !== undefined && language !== undefined;
  const subject = isWritten ? writeFor(message, group, language, parts.clock()).piece.subject : null;
  const status = reason === 'unreachable' ? 'failed' : 'skipped';
  await conclude(parts.db, message, status, reason, { subject });
  parts.meter.done(type, channel, status, reason);
  parts.log.info(`reminders: a message was ${status}`, { message_id, type, channel, reason });
}

/** A message that waits is joined by the next one of its type, so that the last change is told in the end. */
async function attemptWithinLimits(parts: Parts, batch: Batch, ready: Ready): Promise<void> {
  const { db, clock, reached, codeKey } = parts;
  const { message, to } = ready;
  const limits = limitsOf(message, to, codeKey);
  const count = () => db.transaction((tx) => countMessage(tx, message.message_id, limits, clock()));
  const limit = limits.length === 0 ? undefined : await count();
  await reached('reminders.counted');
  if (limit === undefined) await attempt(parts, batch, ready);
  else if (limit.beyond === 'waits') await postpone(db, message, limit.until, message.failures);
  else await skip(parts, batch, message, 'too_many');
}

async function attempt(parts: Parts, batch: Batch, { to, group, person, message }: Ready): Promise<void> {
  const { db, clock, reached, codeKey } = parts;
  const { message_id, channel, type, facts } = message;
  if (batch.sender === undefined) return;
  await confirmHolds(db, message, clock(), facts);
  const written = writeFor(message, group, person.preferences.language, clock(), codeKey);
  const { subject, paragraphs, highlight } = written.piece;
  // What is kept for the person, without a code.
  const [first, ...others] = paragraphs;
  const words = channel === 'sms' ? written.sms : [first, highlight, ...others].filter(Boolean).join('\n\n');
  const kept = { subject, body: type === 'confirm_address' ? null : words };
  const handedOver = async () => {
    await reached('reminders.handing_over');
    const isHeld = await handOver(db, message, kept);
    if (isHeld) await reached('reminders.handed_over');
    return isHeld;
  };
  const { sender } = batch;
  const outcome = await spannedByEvent(NO_CAUSE, `send ${channel}`, { 'messaging.message.id': message_id }, () =>
    sender.send({ message_id, to, message: written, handOver: handedOver }),
  );
  await reached('reminders.answered');
  await store(parts, batch, message, outcome);
  await reached('reminders.concluded');
}

async function store(parts: Parts, batch: Batch, message: HeldMessage, outcome: Outcome): Promise<void> {
  const { db, clock, log, meter } = parts;
  const { message_id, type, channel } = message;
  if (outcome.kind === 'sent') {
    await surely(() => conclude(db, message, 'sent', null, { sent_at: clock() }));
    meter.done(type, channel, 'sent', null);
  } else if (outcome.kind === 'refused') {
    await conclude(db, message, 'failed', 'refused');
    meter.done(type, channel, 'failed', 'refused');
    log.warn('reminders: a message was refused', { message_id, type, channel });
  } else if (outcome.kind === 'unknown') {
    batch.isInDoubt = true;
    await conclude(db, message, 'unknown', 'no_answer');
    reportUnknown(parts, message, outcome.cause);
  } else {
    const failures = message.failures + 1;
    await postpone(db, message, nextTry(failures, clock(), outcome), failures);
    meter.failed(channel);
    if (outcome.isChannelDown) batch.isDown = true;
    log.warn('reminders: a message will be tried again', { message_id, type, channel, cause: outcome.cause, failures });
  }
}

/** How often it is tried to note that a message was sent, and the wait between. Otherwise it would not be known. */
const NOTE_TRIES = 3;
const NOTE_AGAIN_MS = 1_000;

async function surely(note: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await note();
      return;
    } catch (error) {
      if (tries === NOTE_TRIES) throw error;
      await delay(NOTE_AGAIN_MS);
    }
  }
}
