/** The rules of fines, and what must hold between their members. */
import { invalid, type FieldComplaint } from '../../errors/problem.ts';
import * as t from '../fields.ts';

/** More would be more than a group can remember. */
export const FINES_MAX = 10;

/** A word or two. */
export const FINE_CODE_MAX_CODE_POINTS = 40;

/** A quarter of a year: groups that wait longer do not fine late payments. */
const GRACE_MAX_DAYS = 90;

/** What a fine is for. Members of the board assess manual fines; the service assesses the others. */
export const FINE_TRIGGERS = ['late_payment', 'absence', 'lateness', 'manual'] as const;
export const FINE_REPEATS = ['once', 'weekly', 'monthly'] as const;

export const fineCode = () =>
  t.text(1, FINE_CODE_MAX_CODE_POINTS, 'The name of the rule among the rules of the association.', 'late');

export const fineRule = t.record('FineRule', {
  code: fineCode(),
  trigger: t.enumeration(
    FINE_TRIGGERS,
    '`late_payment`: a due is not paid after its day. `absence`, `lateness`: as the attendance says when the meeting ' +
      'is settled. `manual`: as a member of the board decides.',
    'late_payment',
  ),
  amount: t.describe(t.optional(t.amount()), 'A fixed amount. Either this or `percent` is required.', 500),
  percent: t.describe(
    t.optional(t.percent()),
    'A part of what the member still owes for the meeting, rounded to the minor unit; no fine is assessed if it is 0.',
  ),
  grace_days: t.withDefault(
    t.integer(0, GRACE_MAX_DAYS, 'For `late_payment`: the days after the due day before the first fine.', 2),
    0,
  ),
  repeat: t.withDefault(
    t.enumeration(FINE_REPEATS, 'For `late_payment`: how often it is assessed until the due is paid.', 'weekly'),
    'once',
  ),
  cap_amount: t.describe(
    t.optional(t.amount()),
    'The most that all fines of this rule can amount to for one member and meeting.',
    2_000,
  ),
});
export type FineRule = t.Value<typeof fineRule>;

/**
 * Checks what a rule's members require of one another.
 * @param pointer to the rules of fines in the request's body, as a JSON Pointer
 * @throws validation_failed
 */
export function checkFineRules(rules: readonly FineRule[] | undefined, pointer: string): void {
  const codes = new Set<string>();
  const complaints = (rules ?? []).flatMap(({ code, amount, percent }, index): FieldComplaint[] => {
    const at = `${pointer}/${String(index)}`;
    const found: FieldComplaint[] = [];
    if ((amount === undefined) === (percent === undefined)) {
      const detail = 'Exactly one of `amount` and `percent` is required.';
      found.push({ pointer: `${at}/amount`, code: amount === undefined ? 'required' : 'not_allowed', detail });
    }
    if (codes.has(code)) {
      found.push({ pointer: `${at}/code`, code: 'not_allowed', detail: 'Another rule has this code.' });
    }
    codes.add(code);
    return found;
  });
  if (complaints.length > 0) throw invalid(...complaints);
}
