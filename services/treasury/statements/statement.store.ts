import { WALLET_PREFIX } from '../../../lib/contracts/accounts.ts';
import type { Db } from '../../../lib/db/db.ts';
import type { Movement } from './statement.rules.ts';

/** Whose movements: in the chain up to a transfer, so that what is posted meanwhile does not come between. */
export interface StatementScope {
  chain_id: string;
  member_id: string;
  up_to_seq: number;
}

// OFFSET 0 keeps the planner from any other way than this: the member's entries, and by its key the transfer of each.
// Where it knows little of the tables it would read the whole chain for every entry.
const OF_MEMBER = `
  FROM (SELECT account_id, entry_no, transfer_id, amount FROM entries WHERE member_id = $1 OFFSET 0) AS entries
  CROSS JOIN LATERAL (SELECT * FROM transfers WHERE id = entries.transfer_id OFFSET 0) AS transfers
  WHERE chain_id = $2 AND seq <= $3`;

/** What the member had paid in before an instant less what they had been paid out, in minor units. */
export async function balanceBefore(db: Db, scope: StatementScope, before: Date): Promise<bigint> {
  const row = await db.first<{ balance: bigint }>(
    `SELECT coalesce(sum(-entries.amount), 0)::bigint AS balance ${OF_MEMBER} AND posted_at < $4`,
    [scope.member_id, scope.chain_id, scope.up_to_seq, before],
  );
  return row?.balance ?? 0n;
}

/** The member's movements in a period, in the order of the chain; within a transfer those by wallet before cash. */
export async function movementsOf(
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
