import type { Group } from '../groups/groups.store.ts';
import type { MessageType } from '../message-types.rules.ts';
import { CODE_LIFE_MINUTES, codeOf } from '../preferences/codes.rules.ts';
import type { Language } from '../texts/languages.rules.ts';
import { writeMessage, type WrittenMessage } from '../texts/texts.view.ts';
import { daysBetween, wallClock } from '../times/zones.rules.ts';
import type { MessageFacts } from './messages.store.ts';

/**
 * Writes a message as it is on the day on which it is sent.
 * @param codeKey for a message with a code
 */
export function writeFor(
  { type, facts }: { type: MessageType; facts: MessageFacts },
  group: Group | null,
  language: Language,
  now: Date,
  codeKey?: string,
): WrittenMessage {
  const today = wallClock(group?.time_zone ?? 'UTC', now).day;
  const days_left = facts.due_on === undefined ? 0 : daysBetween(today, facts.due_on);
  const { code_id } = facts;
  const hasCode = codeKey !== undefined && code_id !== undefined;
  const code = hasCode ? { code: { digits: codeOf(codeKey, code_id), minutes: CODE_LIFE_MINUTES } } : {};
  return writeMessage({ type, facts, group, days_left, ...code }, language);
}
