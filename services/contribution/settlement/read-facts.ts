import type { Db } from '../../../lib/db/db.ts';
import { arePayingArrears, openArrears } from '../arrears/arrears.store.ts';
import { readFunds, findInFlight, listMissing, listSavings } from '../payments/contribution.store.ts';
import type { InFlight } from '../payments/contribution.store.ts';
import { NO_FUNDS } from './monies.rules.ts';
import type { SettlementFacts, Situation } from './settlement.rules.ts';
import { readSavings } from './settlement.store.ts';

/** The facts, and what may change them yet. */
export interface CurrentFacts extends SettlementFacts {
  in_flight: InFlight;
  /** Whether a member whose arrears may be set off is paying of them just now. */
  are_paying_arrears: boolean;
}

/**
 * Reads what came in and what is owed, in one round trip. Each statement sees what is committed when it begins, so what
 * is in flight is read first: if nothing is, and the caller holds the meeting and the arrears, all that the others read
 * stands still.
 */
export async function readFacts(
  db: Db,
  { meeting, kind, is_last_round, debtor_ids }: Situation,
): Promise<CurrentFacts> {
  const { id, association_id, cycle_id } = meeting;
  const has_debtors = debtor_ids.length > 0;
  const gives_back = kind === 'savings' && is_last_round;
  const [in_flight, are_paying_arrears, collected, missing, open, earlier, saved] = await Promise.all([
    findInFlight(db, id),
    has_debtors ? arePayingArrears(db, association_id, debtor_ids) : false,
    readFunds(db, id),
    kind === 'rotation' && cycle_id !== null ? listMissing(db, cycle_id, id) : [],
    has_debtors ? openArrears(db, association_id, debtor_ids) : [],
    gives_back && cycle_id !== null ? readSavings(db, cycle_id) : NO_FUNDS,
    gives_back && cycle_id !== null ? listSavings(db, cycle_id) : [],
  ]);
  return { in_flight, are_paying_arrears, collected, missing, open, earlier, saved };
}
