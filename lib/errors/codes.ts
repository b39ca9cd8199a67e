/**
 * The one table of refusals: code -> HTTP status and text (RFC 9457 `title` and `detail`). Codes are part of the public
 * interface: never renamed, never reused.
 */

interface ErrorEntry {
  status: number;
  /** Short, the same for every occurrence. */
  title: string;
  /** What the caller can do about it. */
  detail: string;
}

export const ERRORS = {
  // The request itself
  malformed_json: {
    status: 400,
    title: 'Malformed JSON',
    detail: 'The body is not well-formed JSON, or not a JSON object.',
  },
  body_too_large: { status: 413, title: 'Body too large', detail: 'The body is larger than 64 KiB.' },
  unsupported_media_type: {
    status: 415,
    title: 'Unsupported media type',
    detail: 'Send the body as application/json.',
  },
  validation_failed: {
    status: 422,
    title: 'Validation failed',
    detail: 'One or more fields are missing, unknown or out of range; `errors` names each.',
  },
  amount_precision: {
    status: 422,
    title: 'Too many decimals',
    detail: "The amount has more decimals than the currency's minor unit.",
  },
  method_not_allowed: {
    status: 405,
    title: 'Method not allowed',
    detail: 'This path does not take that method; `Allow` names those that it takes.',
  },

  // Who asks
  token_missing: { status: 401, title: 'Access token missing', detail: 'Send `Authorization: Bearer <token>`.' },
  token_invalid: {
    status: 401,
    title: 'Access token invalid',
    detail: 'The token is malformed, not signed by a trusted key, or lacks a required claim.',
  },
  token_expired: { status: 401, title: 'Access token expired', detail: 'Get a new token and try again.' },
  insufficient_scope: {
    status: 403,
    title: 'Scope missing',
    detail: 'The token lacks a scope that this needs; `required_scopes` names it.',
  },
  role_not_allowed: {
    status: 403,
    title: 'Role not allowed',
    detail: 'Your role in this association may not do this; `required_roles` may.',
  },
  not_found: { status: 404, title: 'Not found', detail: 'There is no such thing, or you may not see it.' },

  // PINs
  pin_invalid: {
    status: 403,
    title: 'PIN invalid',
    detail: 'The PIN could not be accepted. `attempts_left` says how often you may try before it locks.',
  },
  pin_replayed: {
    status: 403,
    title: 'PIN ciphertext already used',
    detail: 'Encrypt the PIN afresh for each operation.',
  },
  pin_locked: {
    status: 423,
    title: 'PIN locked',
    detail: 'Too many wrong PINs in a row. Wait for `Retry-After` seconds.',
  },
  pin_not_set: { status: 409, title: 'PIN not set', detail: 'Set a PIN with PUT /me/pin first.' },

  // Associations and members
  association_closed: { status: 409, title: 'Association closed', detail: 'A closed association takes no changes.' },
  association_full: {
    status: 409,
    title: 'Association full',
    detail: 'The association has as many members as it allows.',
  },
  already_member: { status: 409, title: 'Already a member', detail: 'You are an active member of this association.' },
  cycle_in_progress: { status: 409, title: 'Cycle in progress', detail: 'Wait until the running cycle has completed.' },
  member_has_obligations: {
    status: 409,
    title: 'Member has obligations',
    detail: 'There is a running cycle, arrears, or a pending cash deposit or distribution.',
  },
  president_cannot_leave: {
    status: 409,
    title: 'The president cannot leave',
    detail: 'Hand the presidency over first.',
  },

  // Cycles, meetings, contributions
  cycle_not_supported: {
    status: 409,
    title: 'Cycle not supported',
    detail: 'Associations of this type have no such cycles.',
  },
  hands_not_divisible: {
    status: 409,
    title: 'Hands not divisible',
    detail: 'The total of hands must be a multiple of the beneficiaries per meeting.',
  },
  not_enough_members: { status: 409, title: 'Not enough members', detail: 'A cycle needs at least two hands.' },
  meeting_not_open: {
    status: 409,
    title: 'Meeting not open',
    detail: 'The meeting is settling, settled or cancelled.',
  },
  contribution_exceeds_due: {
    status: 409,
    title: 'Contribution exceeds the due',
    detail: 'At most `outstanding` is due from this member for this meeting.',
  },
  earlier_round_open: {
    status: 409,
    title: 'Earlier round open',
    detail: 'Rounds settle in order; settle the earlier ones first.',
  },
  contributions_in_flight: {
    status: 409,
    title: 'Contributions in flight',
    detail: 'Some contributions to this meeting are not decided yet. Try again shortly.',
  },
  meeting_not_due: {
    status: 409,
    title: 'Meeting not due',
    detail: 'Before its day a round settles only when all is paid.',
  },
  meeting_underfunded: {
    status: 409,
    title: 'Meeting underfunded',
    detail: 'Not every due is paid; `missing` names who owes how much.',
  },

  // Wallets and the ledger
  wallet_currency_mismatch: {
    status: 422,
    title: 'Wallet in another currency',
    detail: "The wallet is not in the association's currency.",
  },
  insufficient_funds: { status: 409, title: 'Insufficient funds', detail: 'The account does not hold that much.' },
  balance_limit_exceeded: {
    status: 409,
    title: 'Balance limit exceeded',
    detail: 'The account would hold more than the ledger carries.',
  },
  reference_reused: { status: 409, title: 'Reference reused', detail: 'This reference was used for another amount.' },
  transfer_conflict: {
    status: 409,
    title: 'Transfer conflict',
    detail: 'This transfer id was used for another content.',
  },

  // Approvals
  no_eligible_approver: {
    status: 409,
    title: 'No eligible approver',
    detail: 'Nobody on the board may decide this request.',
  },
  own_request: { status: 403, title: 'Own request', detail: 'Whoever made a request cannot vote on it.' },
  beneficiary_cannot_approve: {
    status: 403,
    title: 'Beneficiary cannot vote',
    detail: 'Whoever a request benefits or concerns cannot vote on it.',
  },
  already_voted: { status: 409, title: 'Already voted', detail: 'You have voted on this request.' },
  approval_not_pending: { status: 409, title: 'Approval not pending', detail: 'The request is decided already.' },
  approval_changed: {
    status: 409,
    title: 'Approval changed',
    detail: 'The payload is not the one whose hash you sent.',
  },
  not_requester: { status: 403, title: 'Not the requester', detail: 'Only whoever made a request may cancel it.' },

  // Ours
  internal_error: {
    status: 500,
    title: 'Internal error',
    detail: 'Something failed on our side; it has been logged under `request_id`.',
  },
  service_unavailable: {
    status: 503,
    title: 'Service unavailable',
    detail: 'A part of the service is away. Try again shortly.',
  },
  outcome_unknown: {
    status: 503,
    title: 'Outcome not known yet',
    detail: 'The request may still take effect. Look before repeating it.',
  },
} as const satisfies Record<string, ErrorEntry>;

export type ErrorCode = keyof typeof ERRORS;

/** Whether the text is a code of the table. */
export function isErrorCode(text: unknown): text is ErrorCode {
  return typeof text === 'string' && Object.hasOwn(ERRORS, text);
}
