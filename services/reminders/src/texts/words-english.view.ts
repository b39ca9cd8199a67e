import type { Facts, Piece, Words } from './words.view.ts';

const inDays = (days: number): string => (days <= 0 ? 'today' : days === 1 ? 'tomorrow' : `in ${String(days)} days`);

const PAID_BY = {
  wallet: 'into your wallet',
  cash: 'in cash',
  both: 'partly into your wallet, partly in cash',
};

const PIN_CHANGES: Record<string, string> = {
  set: 'A PIN was set for your account.',
  changed: 'The PIN of your account was changed.',
  reset: 'The PIN of your account was deleted. Set a new one before your next payment.',
};

const ADDRESSES: Record<string, string> = { email: 'e-mail address', sms: 'phone number' };

const meeting = ({ day, group }: Facts): [string, string][] => [
  ['Meeting', day],
  ['Group', group],
];

const until = (facts: Facts): [string, string][] => (facts.until === '' ? [] : [['Until', facts.until]]);

const IF_PAID = 'If you have paid in the meantime, you need not do anything.';

export const ENGLISH: Words = {
  quote: (name) => `“${name}”`,
  colon: ': ',
  any_group: 'your group',
  roles: { president: 'president', treasurer: 'treasurer', secretary: 'secretary', member: 'member' },
  subjects: {
    cash_deposit: 'cash that was handed in',
    distribution: 'a payment from the fund',
    meeting_sheet: 'the sheet of a meeting',
    correction: 'the correction of a payment',
    role_change: 'a change of a role',
    rules_change: 'a change of the rules',
    expulsion: 'the expulsion of a member',
    closure: 'the closure of the group',
    motion: 'a motion',
    fine_waiver: 'the waiver of a fine',
  },
  any_subject: 'a request',
  footer: {
    member: (group) => `You get this message because you are a member of ${group}.`,
    security: 'Messages about the security of your account are always sent.',
    choose: 'You choose in the settings of your notifications what is sent to you, and when.',
  },
  texts: {
    due_soon: (facts) => ({
      subject: `${facts.amount} due ${inDays(facts.days_left)}: ${facts.group}`,
      heading: `Your contribution is due ${inDays(facts.days_left)}`,
      paragraphs: [`For the meeting of ${facts.quoted} on ${facts.day} you still owe:`],
      highlight: facts.amount,
      rows: meeting(facts),
      sms: (group) => `${group}: ${facts.sms_amount} is due on ${facts.short_day}.`,
    }),
    due_today: (facts) => ({
      subject: `${facts.amount} due today: ${facts.group}`,
      heading: 'Your contribution is due today',
      paragraphs: [`For today’s meeting of ${facts.quoted} you still owe:`, IF_PAID],
      highlight: facts.amount,
      rows: meeting(facts),
      sms: (group) => `${group}: ${facts.sms_amount} is due today, ${facts.short_day}.`,
    }),
    due_late: (facts) => ({
      subject: `${facts.amount} overdue: ${facts.group}`,
      heading: 'Your contribution is late',
      paragraphs: [`For the meeting of ${facts.quoted} on ${facts.day} this has not been paid:`, IF_PAID],
      highlight: facts.amount,
      rows: meeting(facts),
      sms: (group) => `${group}: ${facts.sms_amount} was due on ${facts.short_day} and is not paid yet.`,
    }),
    turn_tomorrow: (facts) => ({
      subject: `Your turn tomorrow: ${facts.group}`,
      heading: 'Tomorrow is your turn',
      paragraphs: [`At the meeting of ${facts.quoted} on ${facts.day} you receive the pot. If everyone pays, that is:`],
      highlight: facts.amount,
      rows: meeting(facts),
      sms: (group) => `${group}: your turn is on ${facts.short_day}. Expected: ${facts.sms_amount}.`,
    }),
    pot_paid: (facts) => ({
      subject: `${facts.amount} paid to you: ${facts.group}`,
      heading: 'You have been paid',
      paragraphs: [
        `The meeting of ${facts.quoted} on ${facts.day} was settled. You were paid ${PAID_BY[facts.methods]}:`,
      ],
      highlight: facts.amount,
      rows: meeting(facts),
      sms: (group) => `${group}: you were paid ${facts.sms_amount} for the meeting of ${facts.short_day}.`,
    }),
    distribution_paid: (facts) => ({
      subject: `${facts.amount} paid to you: ${facts.group}`,
      heading: 'You have been paid',
      paragraphs: [`${facts.quoted} has paid you from its fund:`],
      highlight: facts.amount,
      rows: [['Group', facts.group]],
      sms: (group) => `${group}: you were paid ${facts.sms_amount} from the fund.`,
    }),
    vote_waiting: (facts) => ({
      subject: `Your vote is needed on ${facts.subject}: ${facts.group}`,
      heading: 'Your vote is needed',
      paragraphs: [`In ${facts.quoted} the board decides on ${facts.subject}, and your vote is missing.`],
      rows: [['Decision', facts.subject], ...until(facts), ['Group', facts.group]],
      sms: (group) =>
        `${group}: your vote is needed on ${facts.subject}${facts.short_until && ` until ${facts.short_until}`}.`,
    }),
    role_changed: (facts) => ({
      subject: `Your role has changed: ${facts.group}`,
      heading: 'Your role has changed',
      paragraphs: [
        `In ${facts.quoted} your role was ${facts.from}. It is now ${facts.to}.`,
        'If you did not expect this, ask the board of your group.',
      ],
      rows: [
        ['Before', facts.from],
        ['Now', facts.to],
        ['Group', facts.group],
      ],
      sms: (group) => `${group}: your role is now ${facts.to} (before: ${facts.from}).`,
    }),
    pin_changed: (facts) => ({
      subject: 'Your PIN has changed',
      heading: 'Your PIN has changed',
      paragraphs: [
        PIN_CHANGES[facts.reason] ?? 'The PIN of your account was changed.',
        'If this was not you, tell those who run this service at once: another person could pay with your money.',
      ],
      rows: [],
      sms: () => `${PIN_CHANGES[facts.reason] ?? 'Your PIN was changed.'} If this was not you, report it at once.`,
    }),
    webhook_disabled: ({ host, other_hosts }) =>
      other_hosts.length === 0 ? oneWebhook(host) : webhooks(host, other_hosts),
    confirm_address: (facts) => ({
      subject: 'Your code',
      heading: 'Confirm your address',
      paragraphs: [
        `Enter this code to get your notifications here. It can be used for ${String(facts.minutes)} minutes.`,
        'If you have not asked for it, ignore this message: without the code nothing will be sent here.',
      ],
      highlight: facts.code,
      rows: [],
      sms: () => `Your code for notifications is ${facts.code}. If you have not asked for it, ignore this message.`,
    }),
    address_changed: (facts) => ({
      subject: 'Your notifications no longer come here',
      heading: 'Your notifications no longer come here',
      paragraphs: [
        facts.change === 'removed'
          ? `This ${ADDRESSES[facts.channel] ?? 'address'} was removed from your notifications.`
          : `Your notifications now go to another ${ADDRESSES[facts.channel] ?? 'address'} instead of this one.`,
        'If this was not you, another person can use your account: tell those who run this service at once.',
      ],
      rows: [],
      sms: () => 'Your notifications no longer come to this number. If this was not you, report it at once.',
    }),
  },
};

function oneWebhook(host: string): Piece {
  return {
    subject: `Webhook disabled: ${host}`,
    heading: 'A webhook was disabled',
    paragraphs: [
      `Events could not be delivered to ${host}, so its webhook was disabled and gets no more of them.`,
      'Repair the receiver, enable the webhook again, and have the missed events sent again.',
    ],
    rows: [['Receiver', host]],
    sms: () => `The webhook to ${host} was disabled, as events could not be delivered.`,
  };
}

function webhooks(host: string, others: readonly string[]): Piece {
  const all = `${host} and ${others.length === 1 ? '1 other' : `${String(others.length)} others`}`;
  return {
    subject: `Webhooks disabled: ${all}`,
    heading: 'Webhooks were disabled',
    paragraphs: [
      `Events could not be delivered to ${all}, so their webhooks were disabled and get no more of them.`,
      'Repair the receivers, enable the webhooks again, and have the missed events sent again.',
    ],
    rows: [host, ...others].map((each) => ['Receiver', each]),
    sms: () => `The webhooks to ${all} were disabled, as events could not be delivered.`,
  };
}
