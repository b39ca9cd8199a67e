import type pg from 'pg';
import type { TransferKind, TransferRecord } from '../../../lib/contracts/treasury.ts';
import { instantColumn, instantText } from '../../../lib/db/instants.ts';
import { accountIdOf, CASH_FUNDING } from '../domain/accounts.ts';
import type { AccountHolding } from '../domain/balances.ts';
import { GENESIS_HASH } from '../domain/chain.ts';

/** A record as it was hashed, but for the form of `posted_at`; a place in a chain is a safe integer. */
const RECORD_COLUMNS = `id, seq::float8 AS seq, association_id, kind, legs, currency, reference,
  ${instantColumn('posted_at')} AS posted_at, prev_hash, hash`;

const BEFORE = `
  SELECT ${RECORD_COLUMNS} FROM transfers
  WHERE chain_id = $1 AND transfers.seq < coalesce($2::bigint, 9223372036854775807)
  ORDER BY transfers.seq DESC LIMIT $3`;

/** A chain's transfers before `before_seq` (all if null), newest first. */
export function transfersBefore(
  pool: pg.Pool,
  chain_id: string,
  before_seq: string | null,
  limit: number,
): Promise<TransferRecord[]> {
  return records(pool, 'treasury.transfers_before', BEFORE, [chain_id, before_seq, limit]);
}

const AFTER = `
  SELECT ${RECORD_COLUMNS} FROM transfers
  WHERE chain_id = $1 AND transfers.seq > $2 ORDER BY transfers.seq LIMIT $3`;

/** A chain's transfers after `after_seq`, oldest first. */
export function transfersAfter(
  pool: pg.Pool,
  chain_id: string,
  after_seq: number,
  limit: number,
): Promise<TransferRecord[]> {
  return records(pool, 'treasury.transfers_after', AFTER, [chain_id, after_seq, limit]);
}

const BY_ID = `SELECT ${RECORD_COLUMNS} FROM transfers WHERE id = $1 AND transfers.seq IS NOT NULL`;

/** A posted transfer. */
export async function findTransfer(pool: pg.Pool, id: string): Promise<TransferRecord | undefined> {
  const [transfer] = await records(pool, 'treasury.find_transfer', BY_ID, [id]);
  return transfer;
}

async function records(pool: pg.Pool, name: string, text: string, values: unknown[]): Promise<TransferRecord[]> {
  const { rows } = await pool.query<TransferRecord>({ name, text, values });
  for (const row of rows) row.posted_at = instantText(row.posted_at);
  return rows;
}

/** The last transfer's place and hash; seq 0 and the hash that the first one follows where there is none. */
export async function chainHead(pool: pg.Pool, chain_id: string): Promise<{ seq: number; hash: string }> {
  const { rows } = await pool.query<{ seq: number; hash: string }>({
    name: 'treasury.chain_head',
    text: 'SELECT seq::float8 AS seq, hash FROM chains WHERE chain_id = $1',
    values: [chain_id],
  });
  return rows[0] ?? { seq: 0, hash: GENESIS_HASH };
}

/** What an association's accounts hold, by name. */
export async function accountHoldings(pool: pg.Pool, association_id: string): Promise<Map<string, AccountHolding>> {
  const { rows } = await pool.query<AccountHolding & { name: string }>({
    name: 'treasury.account_holdings',
    text: 'SELECT name, balance, savings FROM accounts WHERE association_id = $1 ORDER BY name',
    values: [association_id],
  });
  return new Map(rows.map((row) => [row.name, row]));
}

/** A movement of the cash box: what came in (above zero) or left, and what it held then, in minor units. */
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

// The box holds what the outside world has given for it: the outside world's account, with the sign turned.
const CASH_MOVEMENTS = `
  SELECT entry_no, -entries.amount AS amount, -balance_after AS balance_after, transfer_id, kind,
    coalesce(entries.member_id, transfers.member_id) AS member_id, reference, posted_at
  FROM entries JOIN transfers ON transfers.id = entries.transfer_id
  WHERE account_id = $1 AND entry_no < coalesce($2::bigint, 9223372036854775807)
  ORDER BY entry_no DESC LIMIT $3`;

/** The movements of an association's cash box before the entry `before_no` (all if null), newest first. */
export async function cashMovements(
  pool: pg.Pool,
  association_id: string,
  before_no: string | null,
  limit: number,
): Promise<CashMovement[]> {
  const { rows } = await pool.query<CashMovement>({
    name: 'treasury.cash_movements',
    text: CASH_MOVEMENTS,
    values: [accountIdOf(association_id, CASH_FUNDING), before_no, limit],
  });
  return rows;
}
