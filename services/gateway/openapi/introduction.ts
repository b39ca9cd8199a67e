import { API_BASE } from '../../../lib/contracts/api.ts';

/** What a reader needs to know before the operations, in Markdown. */
export const INTRODUCTION = `
The back end of savings groups: rotating pots (tontines), savings groups and mutual-aid funds, with their members,
meetings, contributions, cash box, distributions and votes, on a double-entry ledger that anyone can verify.

Everything here is relative to \`${API_BASE}\`. Below the server's root there are also
\`/health/live\`, \`/health/ready\`, \`/metrics\`, \`/openapi.json\` (this document), \`/asyncapi.json\` (the events),
\`/docs\` and \`/problems/<code>\`. \`/health/ready\` answers 200 with the status \`ready\` or \`degraded\`, or 503.

## Who asks

Send \`Authorization: Bearer <token>\` with every request but \`GET /keys/pin\`. The token is a JWT of an issuer that this
server trusts. Its \`sub\` is the user's id (1 to 128 characters), \`exp\` is required, \`name\` is used as the user's display name,
\`scope\` (words separated by spaces) opens what payment providers and operators do: \`wallets:fund\`, \`pins:reset\`.

What a user may do in an association depends on their role there: \`president\` (exactly one), \`treasurer\`, \`secretary\` or
\`member\`. The first three are the *board*. Each operation says which roles it takes; the role is read at every request.

What you may not see is not there: 404 \`not_found\` both for what does not exist and for what you may not see. A
non-member of a public association may read it and join it; a private one is 404 for them.

## Names and values

- Names are snake_case. Bodies are JSON objects, sent as \`application/json\`, of at most 64 KiB.
- Ids are UUIDs; \`wallet_id\` and \`user_id\` are strings. An id that is not well-formed names nothing: 404.
- \`…_at\` is an instant, RFC 3339 in UTC with milliseconds; \`…_on\` is a day, \`YYYY-MM-DD\`, judged in UTC,
  from 1900 to 2999.
- Enumerations and currency codes are taken in any letter case, and given in lower (currencies: upper) case.
- Texts, days and ids are trimmed; lengths are counted in Unicode code points. \`wallet_id\`, \`user_id\`, PINs, codes and
  cursors are taken as they are.
- Requests are closed: unknown fields and parameters are refused. Later versions may add members to answers and events, and
  values to their enumerations: ignore what you do not know.

## Amounts

An amount is a JSON number in the currency's major unit, above zero, with at most as many decimals as the currency has
(\`XAF\` 0, \`EUR\` 2, \`TND\` 3), of at most 999 999 999 999 999 minor units. One decimal too many is 422
\`amount_precision\`. All arithmetic is exact. Members that end in \`_minor\` are integers of minor units: they occur where
the ledger's chain is shown as it is hashed.

## PINs

Payments and votes need the user's PIN, 4 to 12 digits, set with \`PUT /me/pin\`. It never travels in the clear:

1. Get the keys from \`GET /keys/pin\` (a JWK Set) and take the first one.
2. Encrypt the digits with RSA-OAEP, SHA-256 for hash and MGF1 (WebCrypto: \`{ name: 'RSA-OAEP', hash: 'SHA-256' }\`).
3. Send the ciphertext as base64 or base64url in \`pin\`.

Encrypt afresh for each operation: a ciphertext authorises one, and a second use is 403 \`pin_replayed\`. A wrong PIN is 403
\`pin_invalid\`, with \`attempts_left\`. Five wrong ones in a row lock it: 423 \`pin_locked\`, for 15 minutes at first,
doubling up to 24 hours. Without a PIN: 409 \`pin_not_set\`.

What no current key opens (not base64, another length, a retired key) is 403 \`pin_unreadable\`, and does not count: get the
keys again and encrypt the PIN again. Keep a fetched key for an hour at most, and not beyond its \`exp\`.

## Repeating a request

Send an \`Idempotency-Key\` (1 to 255 visible ASCII characters, fresh for each operation) with every write. If an answer
does not come, repeat the same request with the same key: it takes effect once, and the repeat gives the first answer
again, with \`Idempotency-Replayed: true\`. The PIN may be the same ciphertext or
sealed afresh, except in \`PUT /me/pin\`, where it is what the request is about. Another request under the
key is 422 \`idempotency_key_reused\`; while the first is in flight, 409 \`idempotency_in_flight\`. Answers are kept for 24
hours; a refusal frees the key.

202 means that the outcome is not known yet: look at \`Location\`. It is decided by itself, once. (A repeat gives the
first answer again, so it still says 202.)

## Lists

\`{ "data": […], "next_cursor": … }\`. \`limit\` is 1 to 200, 50 unless given. While \`next_cursor\` is not null, ask again with
\`cursor\` and the same filters; \`Link: <…>; rel="next"\` says the same. Nothing appears twice and nothing is missed, whatever
is added meanwhile. Histories run newest first, members and rounds in their natural order.

Single things have an \`ETag\`: send it as \`If-None-Match\`, and 304 says that nothing has changed. That is how apps learn
of changes: they ask again. Back ends follow the events (\`/asyncapi.json\`). \`If-Match\` is not supported.

## Refusals

Every refusal is a problem document (RFC 9457, \`application/problem+json\`). Decide on its \`code\`, which never changes;
\`title\` and \`detail\` are for people, in English or French by \`Accept-Language\`. 422 \`validation_failed\` names each field in
\`errors\`. Each operation below lists the codes that it can give. Whichever operation, a path that takes no such method is
405 \`method_not_allowed\`, and a fault of ours is 500 \`internal_error\`, 503 \`service_unavailable\`, or 503
\`outcome_unknown\`: then the write may or may not take effect, so look, or repeat it with its key.

Refusals come in a fixed order: token (401), rate limit (429), the body itself (413, 415, 400), what the request alone
decides (422), the \`Idempotency-Key\`, what the path names (404), the role (403), the amount's precision (422), the PIN, the
other conflicts (403, 409), and last what the ledger decides (404 for the wallet, 422 \`wallet_currency_mismatch\`, 409
\`insufficient_funds\`).

## Limits

Each user has a number of requests a minute, told by \`RateLimit-Policy\` and \`RateLimit\` on every answer but those of
\`/health\` and \`/metrics\`. Requests without a valid token count for their address, and beyond its number they get 429 in
place of 401. Beyond it: 429 \`rate_limited\` with \`Retry-After\`.

## Following a request

\`X-Request-Id\` is echoed, or made; \`traceparent\` (W3C Trace Context) is honoured.
`.trim();
