import { API_BASE } from '../../../lib/contracts/api.ts';

/** How developers get a token, in Markdown. */
export const GETTING_TOKENS =
  'For development, `npm run token -- <user>` in the folder of the service prints a token. In production your app gets it from ' +
  'the identity provider that the operator has set up: see `docs/identity.md`.';

/** The introduction of the API reference, in Markdown, for developers who do not know savings groups. */
export const INTRODUCTION = `
The API of savings groups: their members, meetings, payments, cash, payouts and votes, and a double-entry ledger that every
member can verify.

All paths are relative to \`${API_BASE}\`. Below the server's root there are also \`/docs\` (this reference),
\`/openapi.json\`, \`/asyncapi.json\` (the events), \`/problems/<code>\` (each error explained), \`/health/live\`,
\`/health/ready\` (200 with the status \`ready\` or \`degraded\`, or 503) and \`/metrics\` (Prometheus).

## Terms

- **Association**: a group that saves together. Its *type* is \`tontine\`, \`savings\` (members pay in and get their money back
  at the end) or \`solidarity\` (a mutual-aid fund).
- **Tontine**: a rotating pot. At each meeting every member pays the same amount, and one member receives the sum, the
  **pot**. At the next meeting another member has their turn, until all members have had one.
- **Hand**: a share in a tontine. A member with two hands pays twice at each meeting and has two turns.
- **Cycle**: a rotation from the first turn to the last. Each turn is a **round**, and each round has a **meeting**.
- **Dues**: what a member owes for a meeting. A **contribution** is a payment towards them.
- **Settlement**: closing a meeting. It pays the pot to those whose turn it is, the **beneficiaries**.
- **Arrears**: dues that were missing when a meeting was settled. The member owes them to its beneficiaries.
- **Wallet**: a user's electronic money. Contributions are paid from it, and payouts go into it.
- **Treasury**: the money that belongs to the association. A **distribution** is a payment from it to a member.
- **Cash**: banknotes and coins handed to an officer. They count once another officer has approved the record.
- **Meeting sheet**: all cash of a meeting in one document, which can be written without a connection. One approval decides on it.
- **Fine**: what a member owes the association for paying late, coming late or staying away. It is a claim, not a part of the dues.
- **Correction**: the reversal of a transfer that was a mistake. The original transfer stays in the ledger.

## Authentication

Send \`Authorization: Bearer <token>\` with every request except \`GET /keys/pin\`. The token is a JWT from an issuer that
this server trusts:

- \`sub\` is the user's id (1 to 128 characters), and \`exp\` is required.
- \`name\`, if present, is the user's display name.
- \`scope\` (words separated by spaces) permits operations of payment providers and operators: \`wallets:fund\`, \`pins:reset\`.

${GETTING_TOKENS}

What users may do in an association depends on their role in it: \`president\` (exactly one), \`treasurer\`, \`secretary\` or
\`member\`. The first three are the *board*. Each operation lists the roles that may call it. The role is read for every
request.

A resource that the caller may not see is answered like one that does not exist: 404 \`not_found\`. Users who are not
members may read and join a public association; a private one is 404 for them.

## PINs

Payments and votes need the user's PIN, 4 to 12 digits, set with \`PUT /me/pin\`. Always encrypt it:

1. Get the keys from \`GET /keys/pin\` (a JWK Set) and take the first one.
2. Encrypt the digits with RSA-OAEP, SHA-256 for the hash and for MGF1 (WebCrypto:
   \`{ name: 'RSA-OAEP', hash: 'SHA-256' }\`).
3. Send the ciphertext as base64 or base64url in \`pin\`.

Encrypt the PIN again for each operation: a ciphertext authorizes one operation, and a second use is 403 \`pin_replayed\`.
Keep a fetched key for an hour at most, and not beyond its \`exp\`.

| Error | Meaning |
| --- | --- |
| 403 \`pin_invalid\` | The PIN is wrong. \`attempts_left\` is the number of attempts left. |
| 423 \`pin_locked\` | Five wrong PINs in a row lock the PIN for 15 minutes, then for twice as long each time, up to 24 hours. |
| 403 \`pin_unreadable\` | No current key decrypts it. This does not count as an attempt: get the keys again and encrypt the PIN again. |
| 409 \`pin_not_set\` | The user has no PIN yet. |

## Requests and values

- Names are snake_case. Bodies are JSON objects, sent as \`application/json\`, of at most 64 KiB, unless an operation says more.
- Unknown fields and parameters are refused. Later versions may add members to answers and events, and values to their
  enumerations: ignore those that you do not know.
- Ids are UUIDs; \`wallet_id\` and \`user_id\` are strings. A malformed id is answered like an unknown one: 404.
- Fields that end in \`_at\` are instants, RFC 3339 in UTC with milliseconds. Fields that end in \`_on\` are days,
  \`YYYY-MM-DD\`, from 1900 to 2999, in the \`time_zone\` of the association (\`UTC\` unless it was created with another).
- Enumerations and currency codes are accepted in any letter case. Enumerations are returned in lower case, currencies in
  upper case.
- Texts, days and ids are trimmed; lengths are counted in Unicode code points. \`wallet_id\`, \`user_id\`, PINs, invitation
  codes and cursors are not trimmed.
- \`metadata\` is your own data about an association, a contribution, cash, a distribution, a deposit or a withdrawal, such as the
  number of a receipt: at most 20 texts of up to 500 characters, under names of 1 to 40. It is given when the object is created,
  and is in its answers and events.

## Amounts

An amount is a JSON number in the currency's major unit, above zero, with at most as many decimals as the currency has
(\`XAF\` 0, \`EUR\` 2, \`TND\` 3), and of at most 999 999 999 999 999 minor units. One decimal too many is 422
\`amount_precision\`. All arithmetic is exact. Fields that end in \`_minor\` are integers in minor units. They occur where
transfers are shown in the form that is hashed.

## Idempotency

Send an \`Idempotency-Key\` (1 to 255 visible ASCII characters, a new one for each operation) with every write. If no answer
arrives, send the same request with the same key again: it takes effect once. The repeat gets the first answer, with
\`Idempotency-Replayed: true\`. The PIN may be the same ciphertext or a new one; only in \`PUT /me/pin\` it must be the same.
\`If-Match\` may differ.

- Another request with the same key is 422 \`idempotency_key_reused\`.
- A repeat while the first request is still running is 409 \`idempotency_in_flight\`.
- Answers are kept for 24 hours. A refusal frees the key.

202 means that the outcome is not known yet: read it at \`Location\`. The operation completes once, without another request.
(A repeat gets the first answer, so it still gets 202.)

## Pagination

Lists are \`{ "data": […], "next_cursor": … }\`. \`limit\` is 1 to 200, and 50 by default. While \`next_cursor\` is not null,
request the next page with \`cursor\` and the same filters; the header \`Link: <…>; rel="next"\` contains its whole path. No
item appears twice and none is missing, regardless of what is added in the meantime. Histories are listed newest first, members
in join order, and rounds in date order.

## Caching and changes

Single resources have an \`ETag\`. Send it as \`If-None-Match\`: 304 means that nothing has changed. Apps can poll for changes in
this way; back ends follow the events (\`/asyncapi.json\`).

Send the \`ETag\` as \`If-Match\` with a PATCH, so that it does not overwrite a change that you have not seen: if the resource
has changed since then, the answer is 412 \`precondition_failed\`. Read it again, and decide anew. The answer to a PATCH has the
\`ETag\` of the new state. \`*\` matches every state; a weak tag (\`W/"…"\`) matches none, so beware of proxies that weaken tags
when they compress answers. The draft of a meeting sheet is replaced only with \`If-Match\`: without it the answer is 428
\`precondition_required\`. Operations that do not list \`If-Match\` among their parameters ignore it.

## Errors

Every error is a problem document (RFC 9457, \`application/problem+json\`). Programs should use its \`code\`, which never changes.
\`title\` and \`detail\` are for people, in English or French by \`Accept-Language\`. 422 \`validation_failed\` names each
field in \`errors\`.

Each operation lists its codes. Every operation can also answer 500 \`internal_error\`, 503 \`service_unavailable\`, 503
\`overloaded\`, and 503 \`outcome_unknown\`. After \`outcome_unknown\` a write may or may not take effect, so read the state, or repeat the write with its
key. A method that a path does not support is 405 \`method_not_allowed\`.

If several errors apply, the answer is the first one in this order:

1. the token (401), then the rate limit (429)
2. size, media type and syntax of the body (413, 415, 400)
3. the fields of the request (422 \`validation_failed\`)
4. the \`Idempotency-Key\` (422, 409)
5. the resource in the path (404), then the role (403)
6. \`If-Match\` (412, 428)
7. the precision of the amount (422 \`amount_precision\`)
8. the PIN (403, 409, 423)
9. other conflicts (403, 409)
10. the ledger (404 for the wallet, 422 \`wallet_currency_mismatch\`, 409 \`insufficient_funds\`)

## Rate limits

The number of requests per minute is limited for each user. \`RateLimit-Policy\` and \`RateLimit\` show the limit with every
answer, except those of \`/health\` and \`/metrics\`. Further requests get 429 \`rate_limited\` with \`Retry-After\`. Requests
without a valid token count for their address, which gets 429 instead of 401 beyond its limit.

## Request ids and traces

\`X-Request-Id\` is echoed; if you send none, the server generates one. \`traceparent\` (W3C Trace Context) is continued. Give
the request id when you ask the operator about a request.
`.trim();
