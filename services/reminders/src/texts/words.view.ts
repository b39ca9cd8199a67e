/** The forms of texts. Names, dates and amounts in them are written already. */
import type { EventData } from '@association-service/contracts';
import type { MessageType } from '../message-types.rules.ts';

/** What a text can mention; a text uses the members that its type has. */
export interface Facts {
  /** The name of the association. */
  group: string;
  /** The name in quotation marks, within a sentence. */
  quoted: string;
  amount: string;
  /** In letters that an SMS can have. */
  sms_amount: string;
  day: string;
  short_day: string;
  /** The days until the meeting. */
  days_left: number;
  /** The end of a vote, in full and in few characters; empty if it is not known. */
  until: string;
  short_until: string;
  /** How a payout was made. */
  methods: 'wallet' | 'cash' | 'both';
  /** What is voted on, in the words of `subjects`. */
  subject: string;
  /** Roles, in the words of `roles`. */
  from: string;
  to: string;
  /** `set`, `changed` or `reset`. */
  reason: string;
  host: string;
  /** Of other webhooks that are told of by the same message. */
  other_hosts: string[];
  code: string;
  minutes: number;
  /** `email` or `sms`, and whether the address was replaced or removed. */
  channel: string;
  change: string;
}

/** A message before it is laid out: the same for text, HTML and SMS. */
export interface Piece {
  subject: string;
  heading: string;
  paragraphs: string[];
  /** A value to be read at a glance, such as an amount or a code. */
  highlight?: string;
  rows: [label: string, value: string][];
  /** @param group the name, possibly cut */
  sms: (group: string) => string;
}

export interface Words {
  quote: (name: string) => string;
  /** What stands between a label and its value. */
  colon: string;
  /** Stands for a name that an SMS cannot show. */
  any_group: string;
  roles: Record<string, string>;
  /** What the board decides on: a type without words does not compile. */
  subjects: Record<EventData['approval.requested']['subject_type'], string>;
  /** Stands for a subject that is not known. */
  any_subject: string;
  footer: { member: (group: string) => string; security: string; choose: string };
  texts: Record<MessageType, (facts: Facts) => Piece>;
}
