/** Whether the occasions of messages still hold: since they were stored, members may have paid, voted or left. */
import type { Reason } from '../message-types.rules.ts';
import { readFormer, readMeetings } from '../groups/groups.store.ts';
import { faultOf } from '../faults.ts';
import { isDayType, type DayType } from '../occasions/occasions.rules.ts';
import { toldOfDay } from '../occasions/recipients.ts';
import type { MeetingPage } from '../outside.ts';
import type { Parts } from '../parts.ts';
import { CHECKED_FOR_MS } from './messages.rules.ts';
import type { MessageFacts } from './messages.store.ts';
import type { HeldMessage } from './sending.store.ts';

/** What a check found: a reason not to send, the facts as they are now, or that it cannot be known at present. */
export type Finding = { skip: Reason } | { facts: MessageFacts } | 'unknown';

type CheckParts = Pick<Parts, 'db' | 'clock' | 'outside' | 'log'>;

/** Checks the messages of a batch, those of one occasion together. */
export async function checkMessages(
  parts: CheckParts,
  messages: readonly HeldMessage[],
): Promise<Map<string, Finding>> {
  const findings = new Map<string, Finding>();
  const ids = messages.flatMap(({ member_id }) => (member_id === null ? [] : [member_id]));
  const meeting_ids = messages.flatMap(({ facts }) => facts.meeting_id ?? []);
  const [former, meetings] = await Promise.all([readFormer(parts.db, ids), readMeetings(parts.db, meeting_ids)]);
  const unsure = new Map<string, HeldMessage[]>();
  for (const message of messages) {
    const { message_id, type, member_id, facts, occasion_key, checked_at } = message;
    const isOfMember = isDayType(type) || type === 'vote_waiting';
    const due_on = meetings.get(facts.meeting_id ?? '')?.due_on;
    if (isOfMember && member_id !== null && former.has(member_id)) findings.set(message_id, { skip: 'member_left' });
    else if (isDayType(type) && due_on !== undefined && due_on !== facts.due_on)
      findings.set(message_id, { skip: 'moved' });
    else if (isOfMember && parts.clock().getTime() - checked_at.getTime() > CHECKED_FOR_MS)
      unsure.set(occasion_key, [...(unsure.get(occasion_key) ?? []), message]);
    else findings.set(message_id, { facts });
  }
  await Promise.all([...unsure.values()].map((group) => askAbout(parts, group, findings)));
  return findings;
}

/** Asks the service that knows about one occasion. */
async function askAbout(
  { outside, log }: CheckParts,
  messages: readonly HeldMessage[],
  findings: Map<string, Finding>,
): Promise<void> {
  try {
    const told = await readTold(outside, messages);
    for (const { message_id, member_id } of messages) {
      const facts = told.get(member_id ?? '');
      findings.set(message_id, facts === undefined ? { skip: 'no_longer_due' } : { facts });
    }
  } catch (error) {
    log.warn('reminders: messages wait, as it is not known whether they still hold', faultOf(error));
    for (const { message_id } of messages) findings.set(message_id, 'unknown');
  }
}

/** Reads what the members of these messages of one occasion are told of it now. */
async function readTold(
  outside: CheckParts['outside'],
  messages: readonly HeldMessage[],
): Promise<ReadonlyMap<string, MessageFacts>> {
  const [first] = messages;
  if (first === undefined || first.association_id === null) return new Map();
  const { type, association_id, facts } = first;
  if (isDayType(type)) return readToldOfDay(outside, type, association_id, messages);
  const votes = await outside.waitingVotes(association_id, facts.approval_id ?? '');
  const waiting = votes?.status === 'pending' ? votes.waiting_member_ids : [];
  return new Map(waiting.map((member_id) => [member_id, facts]));
}

/** Reads page by page until all members were found. */
async function readToldOfDay(
  outside: CheckParts['outside'],
  type: DayType,
  association_id: string,
  messages: readonly HeldMessage[],
): Promise<Map<string, MessageFacts>> {
  const told = new Map<string, MessageFacts>();
  const wanted = new Set(messages.map(({ member_id }) => member_id));
  const { meeting_id = '', due_on } = messages[0]?.facts ?? {};
  let after: string | null = null;
  do {
    const page: MeetingPage | undefined = await outside.meetingPage(association_id, meeting_id, after);
    const ofPage = page && toldOfDay(type, page, due_on);
    if (page === undefined || ofPage === undefined) return told;
    for (const [member_id, facts] of ofPage) if (wanted.has(member_id)) told.set(member_id, facts);
    after = page.next_member_id;
  } while (after !== null && told.size < wanted.size);
  return told;
}
