/** What the problem documents of some codes carry beside what all of them do (contract, section 1, "errors"). */
import type { ErrorCode } from '../errors/codes.ts';
import { described, enumeration, integer, list, money, named, object, opaque, optional } from '../schema/fields.ts';
import type { Fields } from '../schema/fields.ts';
import { EXAMPLE, memberId } from './ids.ts';
import { ROLES } from './permissions.ts';

/** Pointers, names and media types that we write ourselves: far shorter. */
const WORD_MAX_LENGTH = 4_096;
const word = (description: string, example: string) => described(opaque(WORD_MAX_LENGTH), description, example);

const complaint = named(
  'FieldComplaint',
  object({
    pointer: word(
      'A JSON Pointer (RFC 6901) into the body, or the name of a query parameter or header.',
      '/contribution_amount',
    ),
    code: word('Which rule it breaks, for programs.', 'too_small'),
    detail: word('The same for people.', 'This must be greater than 0.'),
  }),
);
const precisionExample = {
  pointer: '/amount',
  code: 'amount_precision',
  detail: 'XAF does not have that many decimals.',
};
const retryAfter = () => described(integer(0, Number.MAX_SAFE_INTEGER), 'Seconds to wait, as in `Retry-After`.', 30);

export const PROBLEM_EXTRAS: Partial<Record<ErrorCode, Fields>> = {
  validation_failed: { errors: described(list(complaint), 'Each field that breaks a rule.') },
  amount_precision: { errors: described(optional(list(complaint)), 'Which amount.', [precisionExample]) },
  role_not_allowed: {
    required_roles: described(list(enumeration(ROLES)), 'Who may do it.', ['president', 'treasurer']),
  },
  insufficient_scope: { required_scopes: described(list(opaque(WORD_MAX_LENGTH)), 'What it needs.', ['wallets:fund']) },
  pin_invalid: {
    attempts_left: described(integer(0, 5), 'How many wrong PINs may follow before it locks; 0: it has locked.', 4),
  },
  pin_locked: { retry_after_s: described(integer(0, Number.MAX_SAFE_INTEGER), 'Seconds until it unlocks.', 900) },
  rate_limited: { retry_after_s: retryAfter() },
  idempotency_in_flight: { retry_after_s: optional(retryAfter()) },
  contribution_exceeds_due: { outstanding: described(money(), 'What is outstanding.', 6_000) },
  insufficient_funds: { available: described(optional(money()), 'What there is.', 4_500) },
  meeting_underfunded: {
    missing: described(
      list(
        named(
          'MissingDue',
          object({
            member_id: memberId('Who owes.', EXAMPLE.member_id),
            outstanding: described(money(), 'How much.', 10_000),
          }),
        ),
      ),
      'Who owes how much.',
    ),
  },
  not_acceptable: {
    available: described(list(opaque(WORD_MAX_LENGTH)), 'The media types that there are.', [
      'application/json',
      'text/csv',
      'application/pdf',
    ]),
  },
};
