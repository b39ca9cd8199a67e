import { fundingAccount } from '../../../lib/contracts/accounts.ts';
import type { Metadata } from '../../../lib/contracts/metadata.ts';
import type { TransferKind, TransferRecord } from '../../../lib/contracts/treasury.ts';
import type { Db } from '../../../lib/db/db.ts';
import { instantColumn, instantText } from '../../../lib/db/instants.ts';
import { accountIdOf, GENESIS_HASH } from './chain.rules.ts';

/** The columns of a RecordRow. */
export const RECORD_COLUMNS = `id, seq::float8 AS seq, association_id, kind, legs, currency, reference,
  ${instantColumn('posted_at')} AS posted_at, prev_hash, hash, metadata`;

export type RecordRow = Omit<TransferRecord, 'metadata'> & { metadata: Metadata | null };

const TRANSFERS_BEFORE = {
  name: 'treasury.transfers_before',
  text: `SELECT ${RECORD_COLUMNS} FROM transfers
         WHERE chain_id = $1 AND transfers.seq < coalesce($2::bigint, 9223372036854775807)
         ORDER BY transfers.seq DESC LIMIT $3`,
};

const TRANSFERS_AFTER = {
  name: 'treasury.transfers_after',
  text: `SELECT ${RECORD_COLUMNS} FROM transfers
         WHERE chain_id = $1 AND transfers.seq > $2 ORDER BY transfers.seq LIMIT $3`,
};

const TRANSFER_BY_ID = {
  name: 'treasury.find_transfer',
  text: `SELECT ${RECORD_COLUMNS} FROM transfers WHERE id = $1 AND transfers.seq IS NOT NULL`,
};

/** Reads a chain's transfers before `before_seq` (all if null), newest first. */
export async function listTransfersBefore(
  db: Db,
  chain_id: string,
  before_seq: string | null,
  limit: number,
): Promise<TransferRecord[]> {
  return (await db.rows<RecordRow>(TRANSFERS_BEFORE, [chain_id, before_seq, limit])).map(recordOf);
}

/** Reads a chain's transfers after `after_seq`, oldest first. */
export async function listTransfersAfter(
  db: Db,
  chain_id: string,
  after_seq: number,
  limit: number,
): Promise<TransferRecord[]> {
  return (await db.rows<RecordRow>(TRANSFERS_AFTER, [chain_id, after_seq, limit])).map(recordOf);
}

/** Finds a posted transfer. */
export async function findTransfer(db: Db, id: string): Promise<TransferRecord | undefined> {
  const row = await db.first<RecordRow>(TRANSFER_BY_ID, [id]);
  return row && recordOf(row);
}

/**
 * Returns the transfer as it was hashed: `posted_at` in its form, and without metadata if there is none. Copying all other columns
 * with a rest pattern took a tenth of a page's CPU.
 */
export function recordOf(row: RecordRow): TransferRecord {
  const { id, seq, association_id, kind, legs, currency, reference, prev_hash, hash, metadata } = row;
  const posted_at = instantText(row.posted_at);
  const record = { id, seq, association_id, kind, legs, currency, reference, posted_at, prev_hash, hash };
  return metadata === null ? record : { ...record, metadata };
}

const CHAIN_HEAD = {
  name: 'treasury.chain_head',
  text: 'SELECT seq::float8 AS seq, hash FROM chains WHERE chain_id = $1',
};

/** Reads the position and hash of a chain's last transfer; 0 and the genesis hash for an empty chain. */
export async function readChainHead(db: Db, chain_id: string): Promise<{ seq: number; hash: string }> {
  const head = await db.first<{ seq: number; hash: string }>(CHAIN_HEAD, [chain_id]);
  return head ?? { seq: 0, hash: GENESIS_HASH };
}

/** A movement of the cash box. Amounts are in minor units, above zero for cash that came in. */
export interface CashMovement {
  entry_no: bigint;
  amount: bigint;
  balance_after: bigint;
  transfer_id: string;
  kind: TransferKind;
  member_id: string | null;
  reference: string | null;
  posted_at: Date;
}

const CASH_MOVEMENTS = {
  name: 'treasury.cash_movements',
  // The entries of the cash funding account with the sign reversed, because cash that leaves it enters the box.
  text: `SELECT entry_no, -entries.amount AS amount, -balance_after AS balance_after, transfer_id, kind,
           coalesce(entries.member_id, transfers.member_id) AS member_id, reference, posted_at
         FROM entries JOIN transfers ON transfers.id = entries.transfer_id
         WHERE account_id = $1 AND entry_no < coalesce($2::bigint, 9223372036854775807)
         ORDER BY entry_no DESC LIMIT $3`,
};

/** Reads the movements of an association's cash box before the entry `before_no` (all if null), newest first. */
export async function listCashMovements(
  db: Db,
  association_id: string,
  before_no: string | null,
  limit: number,
): Promise<CashMovement[]> {
  return db.rows(CASH_MOVEMENTS, [accountIdOf(association_id, fundingAccount('cash')), before_no, limit]);
}
