/** The SQL of the table `paid_totals`. */
import type { Answer } from '@association-service/contracts';
import type { Sql } from '@association-service/contracts/subscriber';
import { toMajor } from '@association-service/contracts/service';
import type { getPaidTotal } from './contracts.ts';

const ADD = `
  INSERT INTO paid_totals (association_id, contributions, amount_minor, currency) VALUES ($1, 1, $2, $3)
  ON CONFLICT (association_id) DO UPDATE SET
    contributions = paid_totals.contributions + 1,
    amount_minor = paid_totals.amount_minor + excluded.amount_minor`;

/** Adds a contribution to the total of its association. */
export async function addContribution(
  db: Pick<Sql, 'run'>,
  association_id: string,
  { amount_minor, currency }: { amount_minor: number; currency: string },
): Promise<void> {
  await db.run(ADD, [association_id, amount_minor, currency]);
}

/** Reads the total of an association; zero if nothing was paid. */
export async function readTotal(db: Pick<Sql, 'first'>, association_id: string): Promise<Answer<typeof getPaidTotal>> {
  // The driver returns a bigint as text.
  const total = await db.first<{ contributions: number; amount_minor: string; currency: string }>(
    'SELECT contributions, amount_minor, currency FROM paid_totals WHERE association_id = $1',
    [association_id],
  );
  if (total === undefined) return { contributions: 0, amount: 0, currency: null };
  const { contributions, amount_minor, currency } = total;
  return { contributions, amount: toMajor(BigInt(amount_minor), currency), currency };
}
