import { WALLET_PREFIX } from '../../../lib/contracts/accounts.ts';
import type { Db } from '../../../lib/db/db.ts';
import type { Movement } from './statement.rules.ts';

/** The movements of a member, up to one transfer of the chain: all statements see the same ledger. */
export interface StatementScope {
  chain_id: string;
  member_id: string;
  up_to_seq: number;
}

// OFFSET 0 makes the planner read the member's entries, and the transfer of each by its key. Without statistics it would
// read the whole chain for every entry.
const OF_MEMBER = `
  FROM (SELECT account_id, entry_no, transfer_id, amount FROM entries WHERE member_id = $1 OFFSET 0) AS entries
  CROSS JOIN LATERAL (SELECT * FROM transfers WHERE id = entries.transfer_id OFFSET 0) AS transfers
  WHERE chain_id = $2 AND seq <= $3`;

/** What the member had paid in before an instant less what they had been paid out, in minor units. */
export async function readBalanceBefore(db: Db, scope: StatementScope, before: Date): Promise<bigint> {
  const row = await db.first<{ balance: bigint }>(
    `SELECT coalesce(sum(-entries.amount), 0)::bigint AS balance ${OF_MEMBER} AND posted_at < $4`,
    [scope.member_id, scope.chain_id, scope.up_to_seq, before],
  );
  return row?.balance ?? 0n;
}

/** The member's movements in a period, in the order of the chain; within a transfer those by wallet before cash. */
export async function listMovements(
  db: Db,
  scope: StatementScope,
  { since, before }: { since: Date | null; before: Date | null },
  limit: number,
): Promise<Movement[]> {
  // What has left the member's wallet or hand has come in, so the entry's sign is turned.
  return db.rows(
    `SELECT transfer_id, seq, kind, posted_at, starts_with(account_id, '${WALLET_PREFIX}') AS by_wallet,
            -entries.amount AS amount, reference, hash
     ${OF_MEMBER}
       AND posted_at >= coalesce($4::timestamptz, '-infinity') AND posted_at < coalesce($5::timestamptz, 'infinity')
     ORDER BY seq, by_wallet DESC, account_id, entry_no LIMIT $6`,
    [scope.member_id, scope.chain_id, scope.up_to_seq, since, before, limit],
  );
}
