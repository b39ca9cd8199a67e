import type { Leg, TransferKind } from '../../lib/contracts/treasury.ts';

/** What is stored under a transfer's id: a transfer, or a refusal, which moved nothing. */
export interface StoredTransfer {
  id: string;
  kind: TransferKind;
  association_id: string | null;
  currency: string;
  legs: Leg[];
  posted: boolean;
}

/** The columns of a StoredTransfer. */
export const STORED_TRANSFER = `id, kind, association_id, currency, legs, seq IS NOT NULL AS posted`;

/** Finds what is stored under the ids in $1. */
export const TRANSFERS_BY_ID = {
  name: 'verify.transfers_by_id',
  text: `SELECT ${STORED_TRANSFER} FROM transfers WHERE id = ANY($1::uuid[])`,
};

/** The transfer that another record says was posted. */
export type ExpectedTransfer = Pick<StoredTransfer, 'id' | 'kind' | 'association_id' | 'currency' | 'legs'>;

/** Returns in what the stored transfer is not the expected one; null if it is. */
export function transferFault(expected: ExpectedTransfer, stored: StoredTransfer | undefined): string | null {
  const what = `${expected.kind} ${expected.id} of ${legsText(expected.legs)} ${expected.currency}`;
  if (stored === undefined) return `the treasury has no transfer ${what}`;
  if (!stored.posted) return `the treasury refused the transfer ${what}`;
  const differing = (['kind', 'association_id', 'currency'] as const).find(
    (field) => stored[field] !== expected[field],
  );
  if (differing !== undefined) {
    return `the transfer ${expected.id} has ${differing} ${String(stored[differing])}, not ${String(expected[differing])}`;
  }
  if (areEqual(stored.legs, expected.legs)) return null;
  return `the transfer ${expected.id} moved ${legsText(stored.legs)}, not ${legsText(expected.legs)}`;
}

/** Returns the fault of a transfer that was posted although its owner ended without one; null if it was not posted. */
export function unwantedFault(stored: StoredTransfer | undefined): string | null {
  if (stored?.posted !== true) return null;
  return `the treasury has the transfer ${stored.kind} ${stored.id} of ${legsText(stored.legs)} ${stored.currency}`;
}

function areEqual(stored: readonly Leg[], expected: readonly Leg[]): boolean {
  return (
    stored.length === expected.length &&
    stored.every(({ account, amount_minor }, index) => {
      return account === expected[index]?.account && amount_minor === expected[index].amount_minor;
    })
  );
}

/** A difference stays one line even if the transfer has thousands of legs. */
const LEGS_SHOWN_MAX = 4;

function legsText(legs: readonly Leg[]): string {
  if (legs.length <= LEGS_SHOWN_MAX) return legs.map(legText).join(', ');
  return `${legs.slice(0, LEGS_SHOWN_MAX).map(legText).join(', ')} and ${String(legs.length - LEGS_SHOWN_MAX)} more legs`;
}

const legText = ({ account, amount_minor }: Leg): string => `${account} ${String(amount_minor)}`;
