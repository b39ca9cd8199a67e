/** The types of messages, and why some are not sent. */

/** The types of messages that a person can choose. */
const CHOSEN_TYPES = [
  'due_soon',
  'due_today',
  'due_late',
  'turn_tomorrow',
  'pot_paid',
  'distribution_paid',
  'vote_waiting',
] as const;

/** Those that are always sent, as they protect the person or their group. */
export const ALWAYS_TYPES = ['role_changed', 'pin_changed', 'webhook_disabled'] as const;

/** Those about the addresses themselves, which are sent to one address and cannot be chosen. */
export const ADDRESS_TYPES = ['confirm_address', 'address_changed'] as const;

export const REMINDER_TYPES = [...CHOSEN_TYPES, ...ALWAYS_TYPES] as const;
export const MESSAGE_TYPES = [...REMINDER_TYPES, ...ADDRESS_TYPES] as const;
export type ReminderType = (typeof REMINDER_TYPES)[number];
export type MessageType = (typeof MESSAGE_TYPES)[number];

/** Why a message was not sent. The contract of the list of messages says what each means. */
export const REASONS = [
  'no_channel',
  'no_address',
  'not_wanted',
  'no_longer_due',
  'moved',
  'member_left',
  'too_late',
  'joined',
  'too_many',
  'refused',
  'unreachable',
  'no_answer',
] as const;
export type Reason = (typeof REASONS)[number];
