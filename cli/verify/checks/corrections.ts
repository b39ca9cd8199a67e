/** Corrections: their reversals in the ledger, and what was undone with them. */
import type { ReversalStatus } from '../../../services/contribution/reversals/reversal.table.ts';
import { REVERSIBLE } from '../../../services/treasury/corrections/correction.rules.ts';
import type { Correction, CorrectionState } from '../../../services/treasury/corrections/correction.table.ts';
import { sqlList } from '../../../lib/saga/states.ts';
import type { TransferKind } from '../../../lib/contracts/treasury.ts';
import { pairs } from '../pairs.ts';
import { transferFault, TRANSFERS_BY_ID, unwantedFault, type StoredTransfer } from '../stored-transfer.ts';

/** For each state of a correction: whether its reversal is posted. States in which that changes are not compared. */
const POSTED: Record<CorrectionState, boolean | null> = {
  recording: false,
  refused: false,
  pending_approval: false,
  rejected: false,
  taking_back: false,
  posting: null,
  posting_reserve: true,
  finishing: true,
  done: true,
  restoring: false,
  failed: false,
};

/** A correction with the transfer that reserved the distribution which it reverses. */
type ListedCorrection = Correction & { reserve_id: string | null };

const CORRECTIONS = `SELECT c.*, d.id AS reserve_id FROM corrections c LEFT JOIN distributions d ON d.closing_transfer_id = c.transfer_id
         WHERE c.id > $1 ORDER BY c.id LIMIT $2`;

export const correctionsCheck = pairs<ListedCorrection, StoredTransfer>({
  name: 'corrections',
  compares: 'each correction with the transfer that it reverses and with its reversals',
  from: { service: 'treasury', sql: CORRECTIONS },
  to: { service: 'treasury', sql: TRANSFERS_BY_ID },
  idsIn: ({ id, transfer_id, reserve_id, reserve_reversal_id }) => {
    return [id, transfer_id, reserve_reversal_id, ...(reserve_id === null ? [] : [reserve_id])];
  },
  differs(row, find) {
    const { id, transfer_id, association_id, reserve_id, reserve_reversal_id, status } = row;
    const isPosted = POSTED[status];
    if (isPosted === null) return null;
    const isWithReserve = isPosted && reserve_id !== null;
    const fault =
      reversalFault(id, isPosted ? transfer_id : null, find) ??
      // While the second one is posted, it may be there or not.
      (status === 'posting_reserve'
        ? null
        : reversalFault(reserve_reversal_id, isWithReserve ? reserve_id : null, find));
    const what = `correction ${id} of transfer ${transfer_id} of association ${association_id} is ${status}`;
    return fault === null ? null : `${what}, but ${fault}`;
  },
});

/** @param of the transfer that is reversed; null if there must be no reversal */
function reversalFault(
  id: string,
  of: string | null,
  find: (id?: string) => StoredTransfer | undefined,
): string | null {
  if (of === null) return unwantedFault(find(id));
  const original = find(of);
  if (original?.posted !== true) return `the treasury has no transfer ${of}`;
  const legs = original.legs.map(({ account, amount_minor }) => ({ account, amount_minor: -amount_minor }));
  return transferFault({ ...original, id, kind: 'reversal', legs }, find(id));
}

interface OwnRecord {
  id: string;
  what: 'cash deposit' | 'distribution';
  status: string;
  /** The correction that reverses it. */
  correction: string | null;
}

const KINDS = (Object.keys(REVERSIBLE) as TransferKind[]).filter((kind) => REVERSIBLE[kind] !== null);
const OWN_KINDS = sqlList(KINDS.filter((kind) => REVERSIBLE[kind]?.own !== null));
const OTHER_KINDS = sqlList(KINDS.filter((kind) => REVERSIBLE[kind]?.contribution === true));

/** The records that are reversed, or whose transfer has a correction that is done. */
const OWN_RECORDS = `
  SELECT c.transfer_id AS id, c.id AS correction FROM corrections c
  WHERE c.kind IN (${OWN_KINDS}) AND c.status = 'done' AND c.transfer_id > $1
  UNION SELECT id, NULL FROM cash_deposits d WHERE status = 'reversed' AND id > $1
    AND NOT EXISTS (SELECT FROM corrections c WHERE c.transfer_id = d.id AND c.status = 'done')
  UNION SELECT closing_transfer_id, NULL FROM distributions d WHERE status = 'reversed' AND closing_transfer_id > $1
    AND NOT EXISTS (SELECT FROM corrections c WHERE c.transfer_id = d.closing_transfer_id AND c.status = 'done')
  ORDER BY id LIMIT $2`;

export const ownRecordsCheck = pairs<Pick<OwnRecord, 'id' | 'correction'>, OwnRecord>({
  name: 'reversed cash and distributions',
  compares: 'each reversed cash deposit and distribution with its correction',
  from: { service: 'treasury', sql: { name: 'verify.reversed_records', text: OWN_RECORDS } },
  to: {
    service: 'treasury',
    sql: {
      name: 'verify.records_by_transfer',
      text: `SELECT id, 'cash deposit' AS what, status FROM cash_deposits WHERE id = ANY($1::uuid[])
             UNION ALL
             SELECT closing_transfer_id, 'distribution', status FROM distributions WHERE closing_transfer_id = ANY($1::uuid[])`,
    },
  },
  differs({ id, correction }, find) {
    const record = find();
    if (record === undefined)
      return `correction ${String(correction)} is done, but the record of transfer ${id} is lost`;
    if (correction === null) return `the ${record.what} of transfer ${id} is reversed, but has no correction`;
    if (record.status === 'reversed') return null;
    return `correction ${correction} is done, but the ${record.what} of transfer ${id} is ${record.status}`;
  },
});

/** For each state of a correction: the states that its reversal in contribution may have; `absent` if there may be none. */
const REVERSALS: Record<CorrectionState, (ReversalStatus | 'absent')[]> = {
  recording: ['absent'],
  refused: ['absent'],
  pending_approval: ['absent'],
  rejected: ['absent'],
  taking_back: ['absent', 'taken', 'refused'],
  posting: ['taken'],
  posting_reserve: ['taken'],
  finishing: ['taken', 'reversed'],
  done: ['reversed'],
  restoring: ['taken', 'restored'],
  failed: ['absent', 'refused', 'restored'],
};

interface StoredReversal {
  id: string;
  status: ReversalStatus;
}

export const reversalsCheck = pairs<Correction, StoredReversal>({
  name: 'reversals',
  compares: 'each correction of what contribution has with what was taken back',
  from: {
    service: 'treasury',
    sql: `SELECT * FROM corrections WHERE id > $1 AND kind IN (${OTHER_KINDS}) ORDER BY id LIMIT $2`,
  },
  to: {
    service: 'contribution',
    sql: {
      name: 'verify.reversals_by_id',
      text: 'SELECT correction_id AS id, status FROM reversals WHERE correction_id = ANY($1::uuid[])',
    },
  },
  differs({ id, transfer_id, association_id, status }, find) {
    const found = find()?.status ?? 'absent';
    if (REVERSALS[status].includes(found)) return null;
    const what = `correction ${id} of transfer ${transfer_id} of association ${association_id} is ${status}`;
    return `${what}, but its reversal in contribution is ${found}`;
  },
});

interface ReversedPayment {
  id: string;
  what: string;
  status: string;
  reversal: ReversalStatus | null;
}

/** What is taken back, and what a reversal says of; each in the order of their ids. A line of a sheet has the transfer of the sheet. */
const PAYMENTS = `
  SELECT payments.*, r.status AS reversal FROM (
    SELECT c.id, 'contribution' AS what, c.status, coalesce(l.submission_id, c.id) AS transfer_id
    FROM contributions c LEFT JOIN submitted_lines l ON l.contribution_id = c.id WHERE c.id > $1
    UNION ALL SELECT id, 'payment of a fine', status, id FROM fine_payments WHERE id > $1
    UNION ALL SELECT id, 'submission of a sheet', status, id FROM sheet_submissions WHERE id > $1
  ) AS payments
  LEFT JOIN reversals r ON r.transfer_id = payments.transfer_id AND r.status IN ('taken', 'reversed')
  WHERE payments.status IN ('reversing', 'reversed') OR r.status IS NOT NULL
  ORDER BY id LIMIT $2`;

export const reversedCheck = pairs<ReversedPayment, { id: string }>({
  name: 'reversed payments',
  compares: 'each reversed contribution, payment of a fine and sheet with its reversal',
  from: { service: 'contribution', sql: { name: 'verify.reversed_payments', text: PAYMENTS } },
  to: {
    service: 'contribution',
    sql: 'SELECT correction_id AS id FROM reversals WHERE correction_id = ANY($1::uuid[])',
  },
  differs({ id, what, status, reversal }) {
    const expected = reversal === 'taken' ? 'reversing' : reversal === 'reversed' ? 'reversed' : 'not reversed';
    if (status === expected) return null;
    return `the ${what} ${id} is ${status}, and by its reversal it is ${expected}`;
  },
});
