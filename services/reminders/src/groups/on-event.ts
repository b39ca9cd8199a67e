import type { AnyEvent, EventType, LedgerEvent } from '@association-service/contracts';
import { ALL_TYPES } from '@association-service/contracts';
import { subscription, type SqlTransaction } from '@association-service/contracts/subscriber';
import { NAME } from '../contracts.ts';
import { NEWS_LIFE_MS } from '../messages/messages.rules.ts';
import { skipOccasions } from '../messages/messages.store.ts';
import { BEFORE_SETTLEMENT, DAY_TYPES } from '../occasions/occasions.rules.ts';
import { dropByKey, dropOfAssociation, dropOfMeeting, storeOccasion } from '../occasions/occasions.store.ts';
import type { NewOccasion } from '../occasions/occasions.store.ts';
import type { Parts } from '../parts.ts';
import { endMeeting, moveMeeting, renameGroup, storeGroup, storeMeeting, storeMember } from './groups.store.ts';

type EventParts = Pick<Parts, 'clock' | 'newId'>;
type Handler<T extends EventType> = (
  event: LedgerEvent<T> & { subject: string },
  tx: SqlTransaction,
  parts: EventParts,
) => Promise<void>;

/** What the service does with events of associations. Others do not concern it. */
const HANDLERS: { readonly [T in EventType]?: Handler<T> } = {
  'association.created': ({ subject, data }, tx) => storeGroup(tx, subject, data),
  'association.updated': ({ subject, data }, tx) => renameGroup(tx, subject, data.name),
  'association.closed': ({ subject }, tx) => dropOfAssociation(tx, subject, DAY_TYPES),
  'member.joined': ({ subject, data }, tx) => storeMember(tx, subject, { ...data, left_at: null }),
  'member.left': ({ subject, data, time }, tx) => storeMember(tx, subject, { ...data, left_at: new Date(time) }),
  'member.expelled': ({ subject, data, time }, tx) => storeMember(tx, subject, { ...data, left_at: new Date(time) }),
  'meeting.scheduled': ({ subject, data }, tx, { clock }) =>
    storeMeeting(tx, { ...data, association_id: subject }, clock()),
  'meeting.rescheduled': async ({ subject, data: { meeting_id, due_on } }, tx, { clock }) => {
    const isMoved = await moveMeeting(tx, { meeting_id, association_id: subject, due_on }, clock());
    if (!isMoved) return;
    await skipOccasions(tx, await dropOfMeeting(tx, meeting_id, DAY_TYPES, due_on, 'moved'), 'moved');
  },
  'meeting.cancelled': async ({ data: { meeting_id } }, tx) => {
    await endMeeting(tx, meeting_id, 'cancelled');
    const keys = await dropOfMeeting(tx, meeting_id, DAY_TYPES, null, 'no_longer_due');
    await skipOccasions(tx, keys, 'no_longer_due');
  },
  'meeting.settled': async (event, tx, parts) => {
    const { meeting_id, settlement_id } = event.data;
    await endMeeting(tx, meeting_id, 'settled');
    const keys = await dropOfMeeting(tx, meeting_id, BEFORE_SETTLEMENT, null, 'no_longer_due');
    await skipOccasions(tx, keys, 'no_longer_due');
    await storeNews(parts, tx, event, { key: `pot_paid:${settlement_id}`, type: 'pot_paid', meeting_id });
  },
  'distribution.paid': async (event, tx, parts) => {
    const { distribution_id, beneficiary_member_id: member_id, amount_minor } = event.data;
    const facts = { distribution_id, amount_minor };
    const key = `distribution_paid:${distribution_id}`;
    await storeNews(parts, tx, event, { key, type: 'distribution_paid', member_id, facts });
  },
  'approval.requested': async (event, tx, parts) => {
    const { approval_id, subject_type, expires_at, required_approvals } = event.data;
    if (required_approvals === 0) return;
    const facts = { approval_id, subject_type, expires_at };
    const ends_at = new Date(expires_at);
    await storeNews(parts, tx, event, { key: voteKey(approval_id), type: 'vote_waiting', facts }, ends_at);
  },
  'approval.approved': ({ data }, tx) => dropVote(tx, data.approval_id),
  'approval.rejected': ({ data }, tx) => dropVote(tx, data.approval_id),
  'approval.expired': ({ data }, tx) => dropVote(tx, data.approval_id),
  'approval.cancelled': ({ data }, tx) => dropVote(tx, data.approval_id),
  'member.role_changed': async (event, tx, parts) => {
    const { member_id, from, to } = event.data;
    const facts = { from_role: from, to_role: to };
    await storeNews(parts, tx, event, { key: `role_changed:${event.id}`, type: 'role_changed', member_id, facts });
  },
};

const voteKey = (approval_id: string): string => `vote_waiting:${approval_id}`;

async function dropVote(tx: SqlTransaction, approval_id: string): Promise<void> {
  const key = voteKey(approval_id);
  await dropByKey(tx, key, 'no_longer_due');
  await skipOccasions(tx, [key], 'no_longer_due');
}

type News = Pick<NewOccasion, 'key' | 'type'> &
  Partial<Pick<NewOccasion, 'meeting_id' | 'member_id' | 'user_id' | 'facts'>>;

/** Stores that something has happened, unless it is no news any more. */
async function storeNews(
  { clock, newId }: EventParts,
  tx: SqlTransaction,
  { time, subject = null }: Pick<AnyEvent, 'time'> & { subject?: string | null },
  news: News,
  ends_at?: Date,
): Promise<void> {
  const due_at = new Date(time);
  const old_at = new Date(due_at.getTime() + NEWS_LIFE_MS);
  const expires_at = ends_at !== undefined && ends_at < old_at ? ends_at : old_at;
  if (expires_at <= clock()) return;
  const whole = { meeting_id: null, member_id: null, user_id: null, facts: {}, ...news };
  await storeOccasion(tx, { occasion_id: newId(), association_id: subject, due_at, expires_at, ...whole });
}

/**
 * Follows all events with one consumer, so that those of an association are handled in their order: a meeting is moved after it
 * was scheduled.
 */
export const onEvent = (parts: EventParts) =>
  subscription({
    durable: `${NAME}-events`,
    type: ALL_TYPES,
    handle: async (event, tx) => {
      if (event.type === 'pin.changed') {
        const { user_id, reason } = event.data;
        const key = `pin_changed:${event.id}`;
        await storeNews(parts, tx, { time: event.time }, { key, type: 'pin_changed', user_id, facts: { reason } });
        return;
      }
      const handle = HANDLERS[event.type] as Handler<EventType> | undefined;
      const { subject } = event;
      if (handle !== undefined && subject !== undefined) await handle({ ...event, subject }, tx, parts);
    },
  });
