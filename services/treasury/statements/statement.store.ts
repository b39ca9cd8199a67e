import { WALLET_PREFIX } from '../../../lib/contracts/accounts.ts';
import type { Db } from '../../../lib/db/db.ts';
import type { Movement } from './statement.rules.ts';

/** A member's movements up to a transfer of the chain, so that all queries of a statement read the same ledger. */
export interface StatementScope {
  chain_id: string;
  member_id: string;
  up_to_seq: number;
}

// OFFSET 0 makes the planner read the member's entries, then the transfer of each entry by its key. Without statistics
// the planner would read the whole chain for every entry.
const OF_MEMBER = `
  FROM (SELECT account_id, entry_no, transfer_id, amount FROM entries WHERE member_id = $1 OFFSET 0) AS entries
  CROSS JOIN LATERAL (SELECT * FROM transfers WHERE id = entries.transfer_id OFFSET 0) AS transfers
  WHERE chain_id = $2 AND seq <= $3`;

/**
 * Reads the amount that the member had paid in before an instant, minus the amount paid out to them, in minor units.
 */
export async function readBalanceBefore(db: Db, scope: StatementScope, before: Date): Promise<bigint> {
  const row = await db.first<{ balance: bigint }>(
    `SELECT coalesce(sum(-entries.amount), 0)::bigint AS balance ${OF_MEMBER} AND posted_at < $4`,
    [scope.member_id, scope.chain_id, scope.up_to_seq, before],
  );
  return row?.balance ?? 0n;
}

/** Lists the member's movements in a period, in the order of the chain. Within a transfer, wallets come before cash. */
export async function listMovements(
  db: Db,
  scope: StatementScope,
  { since, before }: { since: Date | null; before: Date | null },
  limit: number,
): Promise<Movement[]> {
  // The sign is reversed, because an amount that leaves the member's wallet or hand enters the association.
  return db.rows(
    `SELECT transfer_id, seq, kind, posted_at, starts_with(account_id, '${WALLET_PREFIX}') AS by_wallet,
            -entries.amount AS amount, reference, hash
     ${OF_MEMBER}
       AND posted_at >= coalesce($4::timestamptz, '-infinity') AND posted_at < coalesce($5::timestamptz, 'infinity')
     ORDER BY seq, by_wallet DESC, account_id, entry_no LIMIT $6`,
    [scope.member_id, scope.chain_id, scope.up_to_seq, since, before, limit],
  );
}
