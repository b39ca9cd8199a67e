/** The texts of messages in both languages, from one table. */
import type { MessageType } from '../message-types.rules.ts';
import { amountInWords } from './amounts.view.ts';
import { instantInWords, longDay, shortDay, shortInstant } from './dates.view.ts';
import type { Language } from './languages.rules.ts';
import { oneLine } from './names.rules.ts';
import { fitSms, isGsm7 } from './sms.view.ts';
import { ENGLISH } from './words-english.view.ts';
import { FRENCH } from './words-french.view.ts';
import type { Facts, Piece, Words } from './words.view.ts';

export const WORDS: Record<Language, Words> = { en: ENGLISH, fr: FRENCH };

/** Longer names of hosts are rare, and would fill an SMS. */
const HOST_MAX_CHARACTERS = 60;

/** What is known about an occasion. Each type has some of the members. */
export interface OccasionFacts {
  meeting_id?: string;
  due_on?: string;
  amount_minor?: number;
  methods?: 'wallet' | 'cash' | 'both';
  distribution_id?: string;
  approval_id?: string;
  subject_type?: string;
  /** RFC 3339. */
  expires_at?: string;
  from_role?: string;
  to_role?: string;
  reason?: string;
  url_host?: string;
  /** Of webhooks that were disabled before this one, and are told of by the same message. */
  other_hosts?: string[];
  channel?: string;
  change?: string;
}

/** What a message says, and where. */
export interface MessageContent {
  type: MessageType;
  facts: OccasionFacts;
  /** The association; null if the message is about the user alone. */
  group: { name: string; currency: string; time_zone: string } | null;
  days_left: number;
  /** The code of `confirm_address`. */
  code?: { digits: string; minutes: number };
}

/** A message in one language. `text` and `html` of a mail are made of `piece`. */
export interface WrittenMessage {
  language: Language;
  piece: Piece;
  footer: string[];
  sms: string;
}

/** Writes a message. */
export function writeMessage(content: MessageContent, language: Language): WrittenMessage {
  const { type, facts, group, days_left, code } = content;
  const words = WORDS[language];
  const name = oneLine(group?.name ?? '');
  const piece = words.texts[type](inWords());
  const footer = group === null ? [] : [words.footer.member(words.quote(name))];
  footer.push(SECURITY_TYPES.has(type) ? words.footer.security : words.footer.choose);
  return { language, piece, footer, sms: fitSms(piece.sms, name, words.any_group) };

  function inWords(): Facts {
    const { amount_minor = 0, due_on, expires_at } = facts;
    const amount = (canWrite?: (symbol: string) => boolean) =>
      group === null ? '' : amountInWords(amount_minor, group.currency, language, canWrite);
    const ends_at = expires_at === undefined ? undefined : new Date(expires_at);
    const until = (write: typeof instantInWords) =>
      ends_at === undefined || group === null ? '' : write(ends_at, group.time_zone, language);
    return {
      group: name,
      quoted: words.quote(name),
      amount: amount(),
      sms_amount: amount(isGsm7),
      day: due_on === undefined ? '' : longDay(due_on, language),
      short_day: due_on === undefined ? '' : shortDay(due_on, language),
      days_left,
      until: until(instantInWords),
      short_until: until(shortInstant),
      methods: facts.methods ?? 'wallet',
      subject: facts.subject_type === undefined ? words.any_subject : wordFor(words.subjects, facts.subject_type),
      from: wordFor(words.roles, facts.from_role),
      to: wordFor(words.roles, facts.to_role),
      reason: facts.reason ?? '',
      host: oneLine(facts.url_host ?? '', HOST_MAX_CHARACTERS),
      other_hosts: (facts.other_hosts ?? []).map((host) => oneLine(host, HOST_MAX_CHARACTERS)),
      code: code?.digits ?? '',
      minutes: code?.minutes ?? 0,
      channel: facts.channel ?? '',
      change: facts.change ?? '',
    };
  }
}

const SECURITY_TYPES: ReadonlySet<MessageType> = new Set<MessageType>([
  'role_changed',
  'pin_changed',
  'webhook_disabled',
  'confirm_address',
  'address_changed',
]);

/** Values of later releases have no word yet, and are shown as they are. */
function wordFor(words: Record<string, string>, value = ''): string {
  return Object.hasOwn(words, value) ? (words[value] ?? value) : value.replaceAll('_', ' ');
}
