/** The rules of an association, and changes of them. */
import * as t from '../fields.ts';
import { fineRule, FINES_MAX } from './fine-rules.ts';

/** The effect of settling a round while some members have not paid. */
export const SHORTFALL_RULES = ['block', 'pay_collected'] as const;

const BENEFICIARIES_MAX = 10;
const APPROVALS_MAX = 10;
const APPROVAL_EXPIRY_MAX_HOURS = 2_160;

/** The types of requests that 0.1.0 does not have. */
const APPROVALS_ADDED = { meeting_sheet: 1, correction: 2, fine_waiver: 1 };

/** The number of approvals that each type of request needs by default. */
const APPROVALS_DEFAULT = {
  cash_deposit: 1,
  distribution: 2,
  rules_change: 2,
  expulsion: 2,
  closure: 2,
  role_change: 1,
  motion: 1,
  ...APPROVALS_ADDED,
};

const approvalFields = Object.fromEntries(
  Object.entries(APPROVALS_DEFAULT).map(([request, usual]) => [
    request,
    t.integer(
      1,
      APPROVALS_MAX,
      `The number of approvals that a \`${request}\` needs; fewer if fewer members may vote on it.`,
      usual,
    ),
  ]),
) as Record<keyof typeof APPROVALS_DEFAULT, t.Field<number, false>>;

const ruleFields = {
  shortfall: t.enumeration(
    SHORTFALL_RULES,
    'The effect of settling a round while some members have not paid. `block`: it is refused. `pay_collected`: the ' +
      'money collected is paid out, and the rest becomes arrears, which are debts to the beneficiaries.',
    'block',
  ),
  beneficiaries_per_meeting: t.integer(
    1,
    BENEFICIARIES_MAX,
    'The number of hands that have their turn at each meeting of a tontine and share its pot.',
    1,
  ),
  approvals: t.record('ApprovalRules', t.withDefaults(approvalFields, APPROVALS_DEFAULT)),
  approval_expires_in_hours: t.integer(
    1,
    APPROVAL_EXPIRY_MAX_HOURS,
    'The number of hours within which the board can vote.',
    336,
  ),
  fines: t.boundedList(
    fineRule,
    0,
    FINES_MAX,
    'What members pay for coming late, staying away or paying late. A change applies from the next cycle on.',
    [],
  ),
};

export type Rules = t.Values<typeof ruleFields>;

export const DEFAULT_RULES: Rules = {
  shortfall: 'block',
  beneficiaries_per_meeting: 1,
  approvals: { ...APPROVALS_DEFAULT },
  approval_expires_in_hours: 336,
  fines: [],
};

/** The defaults of rules that 0.1.0 does not have. */
export const RULES_ADDED = { fines: DEFAULT_RULES.fines, approvals: APPROVALS_ADDED };

/**
 * Returns stored rules with the members that they lack, as earlier releases stored them without.
 */
export function completeRules(stored: Rules): Rules {
  return { ...DEFAULT_RULES, ...stored, approvals: { ...APPROVALS_DEFAULT, ...stored.approvals } };
}

/** Absent members get their defaults. */
export const rules = t.record('Rules', t.withDefaults(ruleFields, DEFAULT_RULES));

/** At least one rule is required. Absent rules do not change. */
export const rulesChange = t.name(
  'RulesChange',
  t.someOf(
    t.allOptional({
      ...ruleFields,
      approvals: t.name('ApprovalRulesChange', t.someOf(t.allOptional(approvalFields))),
    }),
  ),
);
export type RulesChange = t.Value<typeof rulesChange>;
