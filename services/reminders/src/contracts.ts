/** What the service offers: the endpoints of its part of the HTTP API, and the command for other services. */
import { chapter, command, fields as t, nothing, route, type ServiceApi } from '@association-service/contracts';
import { MESSAGE_TYPES, REASONS, REMINDER_TYPES } from './message-types.rules.ts';
import { DONE_STATES } from './messages/message-states.rules.ts';
import { EMAIL_MAX_CHARACTERS, PHONE_MAX_CHARACTERS } from './preferences/addresses.rules.ts';
import {
  CODE_LIFE_MINUTES,
  CODES_OF_ADDRESS_MAX,
  CODES_OF_USER_MAX,
  WRONG_TRIES_MAX,
} from './preferences/codes.rules.ts';
import { CHANNELS } from './preferences/preferences.rules.ts';
import { REMINDER_ERRORS } from './errors.ts';
import { LANGUAGES } from './texts/languages.rules.ts';

/** The service's name: its login at NATS, and the beginning of the names of its actions and consumers. */
export const NAME = 'reminders';

const TAG = 'Notifications';
const endpoint = chapter<keyof typeof REMINDER_ERRORS>(TAG);

/** `HH:MM`, with room for what is then refused with a clear complaint. */
const TIME_MAX_CHARACTERS = 10;
/** Six digits, with blanks or hyphens between them. */
const CODE_MAX_CHARACTERS = 20;
/** A longer list than of all types only repeats them. */
const LIST_MAX_ITEMS = 50;
/** Subjects hold a name and an amount; texts some sentences. */
const SUBJECT_MAX_CODE_POINTS = 1_000;
const BODY_MAX_CODE_POINTS = 10_000;
/** As long as a host name can be. */
const HOST_MAX_CHARACTERS = 253;

const email = () =>
  t.text(
    1,
    EMAIL_MAX_CHARACTERS,
    'The e-mail address, as last set. It counts once it is confirmed.',
    'awa@example.com',
  );
const phone = () =>
  t.text(
    1,
    PHONE_MAX_CHARACTERS,
    'The phone number with its country code, as last set. It counts once it is confirmed.',
    '+237670000000',
  );
const language = () => t.enumeration(LANGUAGES, 'The language of the messages.', 'fr');
const channel = (description = 'E-mail or SMS.') => t.enumeration(CHANNELS, description, 'email');
const channels = () =>
  t.boundedList(channel(), 0, LIST_MAX_ITEMS, 'How messages are sent, to confirmed addresses only.', ['email', 'sms']);
const types = () =>
  t.boundedList(
    t.enumeration(REMINDER_TYPES),
    0,
    LIST_MAX_ITEMS,
    'What is sent. `due_soon`, `due_today`, `due_late`: a contribution that is not paid, three days before its day, on ' +
      'the day, and on the day after. `turn_tomorrow`: the caller receives the pot tomorrow. `pot_paid`, ' +
      '`distribution_paid`: the caller was paid. `vote_waiting`: the board waits for the vote of the caller. ' +
      '`role_changed`, `pin_changed` and `webhook_disabled` are always sent, even if the list lacks them.',
    [...REMINDER_TYPES],
  );
const quietFields = {
  from: t.text(1, TIME_MAX_CHARACTERS, 'The first minute without messages, `HH:MM`.', '21:00'),
  to: t.text(1, TIME_MAX_CHARACTERS, 'The end, `HH:MM`; if it is not after `from`, it is on the next day.', '07:00'),
};
const zone = () =>
  t.nullable(
    t.timeZone(
      'The time zone of these times; null for that of the association that a message is about.',
      'Africa/Douala',
    ),
  );
const quietHours = t.record('QuietHours', { ...quietFields, time_zone: zone() });
const newQuietHours = t.record('NewQuietHours', { ...quietFields, time_zone: t.optional(zone()) });

const preferences = t.record('NotificationPreferences', {
  email: t.nullable(email()),
  email_confirmed: t.boolean('Whether `email` is confirmed.', true),
  email_in_use: t.nullable(
    t.text(
      1,
      EMAIL_MAX_CHARACTERS,
      'The confirmed address to which messages go. It stays in use until another one is confirmed.',
      'awa@example.com',
    ),
  ),
  phone: t.nullable(phone()),
  phone_confirmed: t.boolean('Whether `phone` is confirmed.', false),
  phone_in_use: t.nullable(t.text(1, PHONE_MAX_CHARACTERS, 'As `email_in_use`.', '+237670000000'), null),
  language: language(),
  channels: channels(),
  quiet_hours: t.nullable(t.describe(quietHours, 'When messages wait. Those that are always sent do not.')),
  types: types(),
});

export const getPreferences = endpoint({
  name: `${NAME}.get_preferences`,
  summary: "Show the caller's notification settings",
  description:
    'How and about what the caller is told: by e-mail or SMS, in which language, and when not. A caller who has changed ' +
    'nothing has no address, so that nothing is sent to them.',
  answer: preferences,
});

export const changePreferences = endpoint({
  name: `${NAME}.change_preferences`,
  summary: "Change the caller's notification settings",
  description:
    'Absent members stay as they are, and at least one is required. A new `email` or `phone` gets a code of six digits, ' +
    `which confirms it within ${String(CODE_LIFE_MINUTES)} minutes; set it again for another code, at most ` +
    `${String(CODES_OF_USER_MAX)} an hour for a user and ${String(CODES_OF_ADDRESS_MAX)} for an address. Until it is ` +
    'confirmed, messages go to the earlier one, which is then told of the change. `null` removes an address at once, ' +
    'with all messages to it that were not sent.',
  refuses: ['too_many_codes'],
  body: {
    email: t.optional(t.nullable(email())),
    phone: t.optional(t.nullable(phone())),
    language: t.optional(language()),
    channels: t.optional(channels()),
    quiet_hours: t.optional(t.nullable(t.describe(newQuietHours, 'When messages wait until the end; null for never.'))),
    types: t.optional(types()),
  },
  body_min_members: 1,
  answer: preferences,
  examples: { body: { email: 'awa@example.com', language: 'fr' } },
});

export const confirmOwnAddress = endpoint({
  name: `${NAME}.confirm_address`,
  summary: "Confirm the caller's new address by the code that it got",
  description:
    `After ${String(WRONG_TRIES_MAX)} wrong codes, a new one is needed. What is not six digits is refused as ` +
    '`validation_failed` and does not count. The answer has the settings as they are then.',
  refuses: ['code_invalid', 'no_code_waiting'],
  body: {
    channel: channel('The address to confirm.'),
    code: t.opaque(CODE_MAX_CHARACTERS, 'The six digits. Blanks and hyphens do not matter.', '482913'),
  },
  answer: preferences,
});

const occasion = t.record('Occasion', {
  meeting_id: t.nullable(t.meetingId('The meeting that it is about.')),
  due_on: t.nullable(t.date('Its day.', '2026-10-05')),
  amount: t.nullable(t.money('What is owed, expected or paid.', 10_000)),
  currency: t.nullable(t.currencyCode()),
  distribution_id: t.nullable(t.id('The distribution that was paid.', t.EXAMPLE.distribution_id), null),
  approval_id: t.nullable(t.approvalId('The approval that waits for a vote.'), null),
});

const sentMessage = t.record('SentMessage', {
  id: t.ownId('0199d5e2-9b80-7d40-8000-0000000000b1'),
  type: t.enumeration(
    MESSAGE_TYPES,
    'What it says: a type of the settings, `confirm_address` for a code, or `address_changed` for the notice to an ' +
      'address that is no longer used.',
    'due_soon',
  ),
  association_id: t.nullable(t.associationId()),
  channel: channel(),
  status: t.enumeration(
    DONE_STATES,
    '`sent`: the mail server or SMS gateway has taken it. `skipped`: it was not sent on purpose. `failed`: it could not ' +
      'be sent. `unknown`: it may have been sent; it is not sent again, as no message is sent twice.',
    'sent',
  ),
  reason: t.nullable(
    t.enumeration(
      REASONS,
      'Why it was not sent. `no_channel`: the server has no such channel. `no_address`: there was no confirmed address. ' +
        '`not_wanted`: it was deselected meanwhile. `no_longer_due`: paid, decided or otherwise done meanwhile. `moved`: ' +
        'the meeting was moved. `member_left`: the caller had left. `too_late`: it could not be sent in time. `joined`: ' +
        'another message of the same type still waited, and tells what has happened last. `too_many`: too many SMS were ' +
        'sent to the number within 24 hours. `refused`: the address or the message was refused. `unreachable`: mail server or gateway could not be reached in time. ' +
        '`no_answer`: it was handed over, and no answer came.',
      'no_longer_due',
    ),
    null,
  ),
  occasion,
  subject: t.nullable(t.text(1, SUBJECT_MAX_CODE_POINTS, 'Its subject.', 'FCFA 10,000 due in 3 days: Njangi')),
  text: t.nullable(
    t.text(1, BODY_MAX_CODE_POINTS, 'What it said; null for a code, and for what was not sent.', 'Your contribution …'),
  ),
  created_at: t.at('When there was something to tell.', '2026-10-01T23:00:00.000Z'),
  sent_at: t.nullable(t.at('When it was taken.', '2026-10-01T23:00:02.000Z')),
});

export const listSent = endpoint({
  name: `${NAME}.list_sent`,
  summary: 'List the messages to the caller',
  description:
    'Newest first, also those that were skipped or failed, and why. Messages that still wait are not in the list. No ' +
    'address and no code is shown. Messages are kept for a year.',
  query: t.pageQuery,
  answer: t.pageOf(sentMessage),
});

/** What other services can ask this one to tell a user. */
const NOTICES = ['webhook_disabled'] as const;

/** Tells a user something, once for each `notice_id`. It is always sent, whatever the user has chosen. */
export const tell = command({
  name: `${NAME}.tell`,
  input: {
    notice_id: t.id(),
    user_id: t.opaque(t.USER_ID_MAX_CODE_POINTS),
    association_id: t.nullable(t.id()),
    kind: t.enumeration(NOTICES),
    /** The host of the webhook, without anything of its path. */
    url_host: t.text(1, HOST_MAX_CHARACTERS),
  },
  answer: nothing,
});

/** The HTTP routes that gateways offer for the service. */
export const API: ServiceApi = {
  tags: {
    [TAG]:
      'What members are told by e-mail and SMS: what is due, paid and waiting for them. Each user chooses for themselves.',
  },
  errors: REMINDER_ERRORS,
  routes: [
    route('GET', '/me/notifications', getPreferences),
    route('PATCH', '/me/notifications', changePreferences),
    route('POST', '/me/notifications/confirm', confirmOwnAddress),
    route('GET', '/me/notifications/sent', listSent),
  ],
};
