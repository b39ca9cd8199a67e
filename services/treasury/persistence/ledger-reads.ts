import type { EntityManager } from 'typeorm';
import type { TransferKind, TransferRecord } from '../../../lib/contracts/treasury.ts';
import { accountIdOf, CASH_FUNDING } from '../domain/accounts.ts';
import type { AccountHolding } from '../domain/balances.ts';
import { GENESIS_HASH } from '../domain/chain.ts';
import { recordOf } from './ledger/transfer-rows.ts';
import type { TransferRow } from './ledger/transfer-rows.ts';

const RECORD_COLUMNS = 'id, seq, association_id, kind, legs, currency, reference, posted_at, prev_hash, hash';

/** A chain's transfers before `before_seq` (all if null), newest first. */
export async function transfersBefore(
  manager: EntityManager,
  chain_id: string,
  before_seq: string | null,
  limit: number,
): Promise<TransferRecord[]> {
  const rows: TransferRow[] = await manager.query(
    `SELECT ${RECORD_COLUMNS} FROM transfers
     WHERE chain_id = $1 AND seq < coalesce($2::bigint, 9223372036854775807) ORDER BY seq DESC LIMIT $3`,
    [chain_id, before_seq, limit],
  );
  return rows.map(recordOf);
}

/** A chain's transfers after `after_seq`, oldest first. */
export async function transfersAfter(
  manager: EntityManager,
  chain_id: string,
  after_seq: number,
  limit: number,
): Promise<TransferRecord[]> {
  const rows: TransferRow[] = await manager.query(
    `SELECT ${RECORD_COLUMNS} FROM transfers WHERE chain_id = $1 AND seq > $2 ORDER BY seq LIMIT $3`,
    [chain_id, after_seq, limit],
  );
  return rows.map(recordOf);
}

/** The last transfer's place and hash; seq 0 and the hash that the first one follows where there is none. */
export async function chainHead(manager: EntityManager, chain_id: string): Promise<{ seq: number; hash: string }> {
  const [head]: { seq: bigint; hash: string }[] = await manager.query(
    'SELECT seq, hash FROM chains WHERE chain_id = $1',
    [chain_id],
  );
  return head === undefined ? { seq: 0, hash: GENESIS_HASH } : { seq: Number(head.seq), hash: head.hash };
}

/** What an association's accounts hold, by name. */
export async function accountHoldings(
  manager: EntityManager,
  association_id: string,
): Promise<Map<string, AccountHolding>> {
  const rows: (AccountHolding & { name: string })[] = await manager.query(
    'SELECT name, balance, savings FROM accounts WHERE association_id = $1 ORDER BY name',
    [association_id],
  );
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

/** The movements of an association's cash box before the entry `before_no` (all if null), newest first. */
export async function cashMovements(
  manager: EntityManager,
  association_id: string,
  before_no: string | null,
  limit: number,
): Promise<CashMovement[]> {
  // The box holds what the outside world has given for it: the outside world's account, with the sign turned.
  return manager.query(
    `SELECT entry_no, -entries.amount AS amount, -balance_after AS balance_after, transfer_id, kind,
            coalesce(entries.member_id, transfers.member_id) AS member_id, reference, posted_at
     FROM entries JOIN transfers ON transfers.id = entries.transfer_id
     WHERE account_id = $1 AND entry_no < coalesce($2::bigint, 9223372036854775807)
     ORDER BY entry_no DESC LIMIT $3`,
    [accountIdOf(association_id, CASH_FUNDING), before_no, limit],
  );
}
