/**
 * The fields of contracts: those of lib/schema, and those that many contracts share. The examples form one scenario: an
 * association of four members, one meeting, and its payments.
 */
import * as t from '../schema/fields.ts';

export * from '../schema/fields.ts';

/** Enough for the user ids of any identity provider. */
export const USER_ID_MAX_CODE_POINTS = 128;
export const WALLET_ID_MAX_LENGTH = 128;
/** Hex of 32 bytes: a SHA-256, or the seed of a draw. */
export const HEX_256_LENGTH = 64;
/** Enough for any format of keys; the API documents it. */
export const IDEMPOTENCY_KEY_MAX_LENGTH = 255;
/**
 * A PIN may be as long as a body, because a text that is too long counts as a wrong PIN. RSA-4096 needs 684 characters.
 */
const SEALED_PIN_MAX_LENGTH = 65_536;

/** 10 000 members with 20 hands each: the largest rotation that an association can have. */
export const ROTATION_MAX_HANDS = 200_000;
export const TITLE_MAX_CODE_POINTS = 200;

export const EXAMPLE = {
  association_id: '0199b2a4-6c00-7a10-8000-000000000001',
  president_id: '0199b2a4-6c00-7a10-8000-0000000000a1',
  treasurer_id: '0199b2a9-1180-7a10-8000-0000000000a2',
  secretary_id: '0199b2ab-02c0-7a10-8000-0000000000a3',
  member_id: '0199b2ad-8f40-7a10-8000-0000000000a4',
  cycle_id: '0199c1d0-4400-7c20-8000-0000000000c1',
  meeting_id: '0199c1d0-4400-7c20-8000-0000000000d1',
  contribution_id: '0199d5e2-9b80-7c20-8000-0000000000e1',
  settlement_id: '0199dac8-1700-7c20-8000-0000000000f1',
  transfer_id: '0199d5e2-9b80-7e30-8000-000000000011',
  cash_deposit_id: '0199d7f1-2a00-7e30-8000-000000000021',
  distribution_id: '0199e0aa-5500-7e30-8000-000000000031',
  approval_id: '0199d7f1-2a00-7f40-8000-000000000041',
  invitation_id: '0199b2a6-3d00-7a10-8000-000000000051',
  fine_id: '0199dac8-1700-7c20-8000-000000000071',
  sheet_id: '0199d5e0-0000-7c20-8000-000000000081',
  correction_id: '0199dd00-0000-7e30-8000-000000000091',
  wallet_id: '0199b2ad-8f40-7e30-8000-000000000061',
  president_wallet_id: '0199b2a4-6c00-7e30-8000-000000000062',
  user_id: 'user-awa',
} as const;

/** An arbitrary SHA-256. */
export const EXAMPLE_HASH = '9f2c1e7b40a85d3316e0c94f7ab2d85e61f0b7c3a94d28e75c1b6f0d3e8a4927';

export const associationId = () => t.id('The association.', EXAMPLE.association_id);
/** The path of resources of an association. */
export const inAssociation = { association_id: associationId() };
export const meetingId = (description = 'The meeting.') => t.id(description, EXAMPLE.meeting_id);
/** The path of resources of a meeting. */
export const inMeeting = { ...inAssociation, meeting_id: meetingId() };
export const cycleId = (description = 'The cycle.') => t.id(description, EXAMPLE.cycle_id);
export const memberId = (description = 'The member.', example: string = EXAMPLE.member_id) =>
  t.id(description, example);
export const fineId = (description = 'The fine.') => t.id(description, EXAMPLE.fine_id);
export const approvalId = (description = 'The approval in which the board decides.') =>
  t.id(description, EXAMPLE.approval_id);
export const transferId = (description = 'The transfer in the ledger.') => t.id(description, EXAMPLE.transfer_id);
export const ownId = (example: string) => t.id('UUIDv7.', example);

export const walletId = (description = 'The wallet.', example: string = EXAMPLE.wallet_id) =>
  t.opaque(WALLET_ID_MAX_LENGTH, description, example);
export const userId = (description = 'The user: the `sub` of their access token.') =>
  t.opaque(USER_ID_MAX_CODE_POINTS, description, EXAMPLE.user_id);

export const sha256 = (description: string) => t.opaque(HEX_256_LENGTH, description, EXAMPLE_HASH);
export const at = (description: string, example = '2026-10-05T18:30:00.000Z') => t.instant(description, example);

export const currencyCode = (meaning = 'ISO 4217.') => t.currency(meaning, 'XAF');

/** The length of an error code such as `insufficient_funds`. All codes are far shorter. */
export const ERROR_CODE_MAX_LENGTH = 100;

/** The meeting of another object. */
export const meetingReference = t.record('MeetingReference', {
  id: ownId(EXAMPLE.meeting_id),
  round: t.nullable(t.integer(1, ROTATION_MAX_HANDS, 'Its place in the cycle, from 1; null outside a cycle.', 1)),
  title: t.nullable(t.text(1, TITLE_MAX_CODE_POINTS, 'For people.'), null),
  due_on: t.date('The day of the meeting.', '2026-10-05'),
});
export type MeetingReference = t.Value<typeof meetingReference>;

export const PAYMENT_METHODS = ['wallet', 'cash'] as const;
export const paymentMethod = () => t.enumeration(PAYMENT_METHODS, '`wallet`: e-money. `cash`: cash.', 'wallet');

/** A payout before its transfer is posted. */
export const payoutFields = {
  member_id: memberId('The member who is paid.', EXAMPLE.president_id),
  wallet_id: t.nullable(walletId('The wallet that receives it; null for cash.', EXAMPLE.president_wallet_id)),
  method: paymentMethod(),
  amount: t.money('The amount.', 40_000),
};
export const payout = t.record('Payout', { ...payoutFields, transfer_id: transferId() });
export type Payout = t.Value<typeof payout>;

/**
 * Defines a PIN that the client encrypted, in base64 or base64url. Any mistake in it is found when the PIN is checked.
 */
export const sealedPin = () =>
  t.describe(
    t.name('SealedPin', t.opaque(SEALED_PIN_MAX_LENGTH)),
    'The PIN, 4 to 12 digits, encrypted with a key of `GET /keys/pin` by RSA-OAEP (SHA-256 for hash and MGF1), in ' +
      'base64 or base64url. Encrypt it again for each operation: a ciphertext authorizes only one operation.',
    'q83vASNFZ4mrze8BI0VniavN7wEjRWeJq83vASNFZ4mrze8BI0VniavN7wEjRWeJq83vASNFZ4mrze8BI0VniQ==',
  );

/** A longer page would hold a connection and memory for too long. */
export const PAGE_MAX_ROWS = 200;
export const PAGE_DEFAULT_ROWS = 50;

/** A cursor is a signed pair of short keys, which is far shorter. */
const CURSOR_MAX_LENGTH = 1_024;

/** The query parameters of every list. */
export const pageQuery = {
  limit: t.withDefault(t.integer(1, PAGE_MAX_ROWS, 'The maximum number of items in the page.', 20), PAGE_DEFAULT_ROWS),
  cursor: t.optional(t.opaque(CURSOR_MAX_LENGTH, '`next_cursor` of the previous page, with the same filters.')),
};

export const nextCursor = () =>
  t.nullable(t.opaque(CURSOR_MAX_LENGTH, 'The `cursor` of the next page; null on the last page.'), null);

/** Defines the answer with one page of a list. */
export const pageOf = <F extends t.Field>(of: F) =>
  t.object({ data: t.list(of, 'The items of this page.'), next_cursor: nextCursor() });

export interface Page<T> {
  data: T[];
  next_cursor: string | null;
}
