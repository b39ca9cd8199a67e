/** What the problem documents of some codes carry beside what all of them carry (contract, section 1, "errors"). */
import type { ErrorCode } from '../errors/codes.ts';
import * as t from './fields.ts';
import { ROLES } from './permissions.ts';

/** Pointers, names and media types, which we write ourselves, are far shorter. */
const WORD_MAX_LENGTH = 4_096;
const word = (description?: string, example?: string) => t.opaque(WORD_MAX_LENGTH, description, example);

const complaint = t.record('FieldComplaint', {
  pointer: word(
    'A JSON Pointer (RFC 6901) into the body, or the name of a parameter or header.',
    '/contribution_amount',
  ),
  code: word('The rule that the field breaks, for programs.', 'too_small'),
  detail: word('The same for people.', 'This must be greater than 0.'),
});
const precisionExample = {
  pointer: '/amount',
  code: 'amount_precision',
  detail: 'XAF does not have that many decimals.',
};
const missingDue = t.record('MissingDue', {
  member_id: t.memberId('The member who owes it.'),
  outstanding: t.money('The amount.', 10_000),
});
const retryAfter = () => t.integer(0, t.UNBOUNDED, 'Seconds to wait, as in `Retry-After`.', 30);

export const PROBLEM_EXTRAS: Partial<Record<ErrorCode, t.Fields>> = {
  validation_failed: { errors: t.list(complaint, 'Each field that breaks a rule.') },
  amount_precision: {
    errors: t.optional(t.list(complaint, 'The amounts with too many decimals.', [precisionExample])),
  },
  role_not_allowed: { required_roles: t.list(t.enumeration(ROLES), 'The roles that may.', ['president', 'treasurer']) },
  insufficient_scope: { required_scopes: t.list(word(), 'The scopes that it needs.', ['wallets:fund']) },
  pin_invalid: {
    attempts_left: t.integer(0, 5, 'How many more wrong PINs are allowed; 0: the PIN is now locked.', 4),
  },
  pin_locked: { retry_after_s: t.integer(0, t.UNBOUNDED, 'Seconds until it unlocks.', 900) },
  rate_limited: { retry_after_s: retryAfter() },
  idempotency_in_flight: { retry_after_s: t.optional(retryAfter()) },
  contribution_exceeds_due: { outstanding: t.money('The amount that is outstanding.', 6_000) },
  insufficient_funds: { available: t.optional(t.money('The amount that is available.', 4_500)) },
  meeting_underfunded: { missing: t.list(missingDue, 'The members who have not paid, and what they owe.') },
  not_acceptable: {
    available: t.list(word(), 'The available media types.', ['application/json', 'text/csv', 'application/pdf']),
  },
};
