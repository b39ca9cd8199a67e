import type { Connection } from '../../../lib/db/statements.ts';
import type { OpenArrear } from '../domain/arrears.ts';
import type { Missing } from '../domain/claims.ts';
import { NO_FUNDS } from '../domain/monies.ts';
import type { Funds } from '../domain/monies.ts';
import type { SettlementKind } from '../domain/settlement.ts';
import type { Share } from '../domain/split.ts';
import { arePayingArrears, openArrears } from './arrears.ts';
import { fundsOf, inFlightTo } from './contributions.ts';
import type { InFlight } from './contributions.ts';
import { missingFor, savedIn } from './dues.ts';
import { savingsOf } from './settling.ts';

/** What the money of a meeting is divided by. */
export interface SettlementFacts {
  in_flight: InFlight;
  /** Whether one whose arrears may be set off is paying of them just now. */
  are_paying_arrears: boolean;
  collected: Funds;
  /** Who has not paid all of a rotation's round, in natural order. */
  missing: Missing[];
  /** The beneficiaries' arrears from earlier settlements. */
  open: OpenArrear[];
  /** What earlier rounds brought to the treasury, and what each member saved in all: for the last round of savings. */
  earlier: Funds;
  saved: Share[];
}

export interface AskedSettlement {
  association_id: string;
  meeting_id: string;
  kind: SettlementKind;
  cycle_id: string | null;
  debtor_ids: readonly string[];
  /** Whether it is the last round of a cycle of savings. */
  gives_back: boolean;
}

/**
 * Reads them, in one round trip on a connection that pipelines. Each statement sees what is committed when it begins,
 * so what is in flight is read first: if nothing is, and the caller holds the meeting and the arrears, all that the
 * others read stands still.
 */
export async function settlementFacts(connection: Connection, asked: AskedSettlement): Promise<SettlementFacts> {
  const { association_id, meeting_id, kind, cycle_id, debtor_ids, gives_back } = asked;
  const has_debtors = debtor_ids.length > 0;
  const [in_flight, are_paying_arrears, collected, missing, open, earlier, saved] = await Promise.all([
    inFlightTo(connection, meeting_id),
    has_debtors ? arePayingArrears(connection, association_id, debtor_ids) : false,
    fundsOf(connection, meeting_id),
    kind === 'rotation' && cycle_id !== null ? missingFor(connection, cycle_id, meeting_id) : [],
    has_debtors ? openArrears(connection, association_id, debtor_ids) : [],
    gives_back && cycle_id !== null ? savingsOf(connection, cycle_id) : NO_FUNDS,
    gives_back && cycle_id !== null ? savedIn(connection, cycle_id) : [],
  ]);
  return { in_flight, are_paying_arrears, collected, missing, open, earlier, saved };
}
