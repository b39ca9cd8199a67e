/** The members that an occasion concerns, and what each of them is told. */
import { findMembers } from '../groups/learn-group.ts';
import type { MessageFacts } from '../messages/messages.store.ts';
import type { MeetingPage } from '../outside.ts';
import type { Parts } from '../parts.ts';
import { isDayType, owedMinor, type DayType } from './occasions.rules.ts';
import type { Occasion } from './occasions.store.ts';

export interface Recipient {
  member_id: string | null;
  user_id: string;
  facts: MessageFacts;
}

/** Some of the recipients. */
export interface RecipientPage {
  recipients: Recipient[];
  /** The member after which the next page begins; null on the last one. */
  next: string | null;
}

type ReadParts = Pick<Parts, 'db' | 'outside'>;

/** Returns the recipients after those that are stored. Undefined if nothing of the occasion holds any more. */
export async function readRecipients(parts: ReadParts, occasion: Occasion): Promise<RecipientPage | undefined> {
  const { type, user_id, facts } = occasion;
  if (user_id !== null) return { recipients: [{ member_id: null, user_id, facts }], next: null };
  if (isDayType(type) || type === 'pot_paid') return ofMeeting(parts, occasion);
  if (type === 'vote_waiting') return ofVote(parts, occasion);
  return onePage(parts, occasion, new Map([[occasion.member_id ?? '', facts]]), null);
}

async function ofMeeting(parts: ReadParts, occasion: Occasion): Promise<RecipientPage | undefined> {
  const { type, association_id, meeting_id, after_member_id, facts } = occasion;
  if (association_id === null || meeting_id === null) return undefined;
  const page = await parts.outside.meetingPage(association_id, meeting_id, after_member_id);
  if (page === undefined) return undefined;
  const told = isDayType(type) ? toldOfDay(type, page, facts.due_on) : toldOfPayouts(page);
  return told === undefined ? undefined : onePage(parts, occasion, told, page.next_member_id);
}

/**
 * Returns what each member on a page is told of a day; undefined if none is.
 * @param due_on the day of the occasion: the meeting may have been moved, and the event not be here yet
 */
export function toldOfDay(
  type: DayType,
  page: MeetingPage,
  due_on: string | undefined,
): Map<string, MessageFacts> | undefined {
  const { meeting_id, status, dues, beneficiaries } = page;
  if (status === 'cancelled' || due_on === undefined || page.due_on !== due_on) return undefined;
  if (status === 'settled' && type !== 'due_late') return undefined;
  const told = new Map<string, MessageFacts>();
  const add = (member_id: string, amount_minor: number) => {
    const before = told.get(member_id)?.amount_minor ?? 0;
    if (amount_minor > 0) told.set(member_id, { meeting_id, due_on, amount_minor: before + amount_minor });
  };
  if (type === 'turn_tomorrow') for (const each of beneficiaries) add(each.member_id, each.expected_minor);
  else for (const due of dues) add(due.member_id, owedMinor(type, status, due));
  return told;
}

/** Returns what each member on a page was paid. Part of a payout may be e-money, and the rest cash. */
function toldOfPayouts({ meeting_id, due_on, payouts }: MeetingPage): Map<string, MessageFacts> {
  const told = new Map<string, MessageFacts>();
  for (const { member_id, amount_minor, method } of payouts) {
    const before = told.get(member_id);
    const methods = before === undefined || before.methods === method ? method : 'both';
    told.set(member_id, { meeting_id, due_on, methods, amount_minor: (before?.amount_minor ?? 0) + amount_minor });
  }
  return told;
}

async function ofVote(parts: ReadParts, occasion: Occasion): Promise<RecipientPage | undefined> {
  const { association_id, facts } = occasion;
  const { approval_id } = facts;
  if (association_id === null || approval_id === undefined) return undefined;
  const votes = await parts.outside.waitingVotes(association_id, approval_id);
  if (votes?.status !== 'pending') return undefined;
  return onePage(parts, occasion, new Map(votes.waiting_member_ids.map((member_id) => [member_id, facts])), null);
}

/** Members that membership does not know are left out. */
async function onePage(
  parts: ReadParts,
  { association_id, type }: Occasion,
  told: ReadonlyMap<string, MessageFacts>,
  next: string | null,
): Promise<RecipientPage> {
  if (association_id === null) return { recipients: [], next: null };
  const members = await findMembers(parts, association_id, [...told.keys()]);
  // Who was paid or lost a role is told even if they have left since then.
  const isForFormer = !isDayType(type) && type !== 'vote_waiting';
  const recipients = [...told].flatMap(([member_id, facts]): Recipient[] => {
    const member = members.get(member_id);
    if (member === undefined || !(member.is_active || isForFormer)) return [];
    return [{ member_id, user_id: member.user_id, facts }];
  });
  return { recipients, next };
}
