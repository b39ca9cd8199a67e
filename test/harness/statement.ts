import type { Statement } from '../../lib/contracts/treasury.ts';

export type Movement = Statement['movements'][number];

const DAY_MS = 86_400_000;

/** Creates a movement of a statement with default values. */
export function movement(more: Partial<Movement> = {}): Movement {
  return {
    transfer_id: '0192f0c0-0000-7000-8000-000000000001',
    seq: 1,
    kind: 'contribution',
    posted_at: '2026-09-01T08:30:00.000Z',
    method: 'wallet',
    amount: 10_000,
    balance_after: 10_000,
    meeting: null,
    reference: null,
    hash: 'a'.repeat(64),
    ...more,
  };
}

/** Creates movements, one per day: three contributions, then a payout, and so on. */
export function movements(count: number): Movement[] {
  let balance_after = 0;
  return Array.from({ length: count }, (_, index) => {
    const isPayout = index % 4 === 3;
    const amount = isPayout ? -30_000 : 10_000;
    balance_after += amount;
    const posted_at = new Date(Date.UTC(2026, 0, 1) + index * DAY_MS).toISOString();
    return movement({
      seq: index + 1,
      kind: isPayout ? 'settlement' : 'contribution',
      posted_at,
      amount,
      balance_after,
    });
  });
}

/** Creates the statement of these movements with an opening balance of zero. */
export function statementOf(list: readonly Movement[], more: Partial<Statement> = {}): Statement {
  const sumOf = (sign: 1 | -1) => list.reduce((sum, { amount }) => sum + Math.max(0, sign * amount), 0);
  return {
    association: { id: '0192f0c0-0000-7000-8000-00000000000a', name: 'Njangi of the five' },
    member: { id: '0192f0c0-0000-7000-8000-00000000000b', user_id: 'awa', display_name: 'Awa Ndoumbé' },
    currency: 'XAF',
    time_zone: 'UTC',
    from: '2026-09-01',
    to: '2026-09-30',
    opening_balance: 0,
    closing_balance: list.at(-1)?.balance_after ?? 0,
    paid_in: sumOf(1),
    paid_out: sumOf(-1),
    owes: 0,
    is_owed: 0,
    arrears: [],
    fines_outstanding: 0,
    fines: [],
    movements: [...list],
    ledger_head: { seq: 57, hash: '0123456789abcdef'.repeat(4) },
    made_at: '2026-10-01T09:15:00.000Z',
    ...more,
  };
}

/** Returns all bytes that a writer writes. */
export async function written(pieces: AsyncIterable<string | Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const piece of pieces) chunks.push(Buffer.from(piece));
  return Buffer.concat(chunks);
}
