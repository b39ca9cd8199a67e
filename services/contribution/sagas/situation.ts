import { problem } from '../../../lib/errors/problem.ts';
import type { Connection } from '../../../lib/db/statements.ts';
import type { SettlementKind } from '../domain/settlement.ts';
import type { CycleRow } from '../persistence/cycle.entity.ts';
import type { MeetingRow } from '../persistence/meeting.entity.ts';
import { meetingFacts } from '../persistence/round-facts.ts';

/** What a settlement goes by that does not change while the meeting is open, but for earlier rounds settling. */
export interface Situation {
  readonly meeting: MeetingRow;
  readonly kind: SettlementKind;
  /** Null outside of one. */
  readonly cycle: CycleRow | null;
  /** The round's hands in rotation order, each named by its member; none but in a rotation. */
  readonly hands: readonly string[];
  /** Rounds never leave `settled`, so the answer `false` stands. */
  readonly earlier_round_open: boolean;
  /** Those of the hands' members who owe something from earlier rounds: their arrears may be set off. */
  readonly debtor_ids: readonly string[];
  /** All who may be paid: it has to be known where. */
  readonly payee_ids: readonly string[];
}

/**
 * Looks whom settling the meeting that a path names may pay. Whether an earlier round is open is read at the same
 * moment: once none is, nothing new can come to be owed before this round has settled, so the payees are all that there
 * will be.
 * @throws not_found also where the meeting belongs to another association
 */
export async function situationOf(
  connection: Connection,
  path: { association_id: string; meeting_id: string },
): Promise<Situation> {
  const found = await meetingFacts(connection, path);
  if (found === undefined) throw problem('not_found');
  const { meeting, round } = found;
  const nobody = { hands: [], debtor_ids: [], payee_ids: [] };
  if (round === undefined) return { meeting, kind: 'treasury', cycle: null, earlier_round_open: false, ...nobody };
  const { cycle, earlier_round_open, hands, creditor_ids, saver_ids } = round;
  if (cycle.rotation_order === null) {
    return { meeting, kind: 'savings', cycle, earlier_round_open, ...nobody, payee_ids: saver_ids };
  }
  const debtor_ids = creditor_ids.length === 0 ? [] : [...new Set(hands)];
  const payee_ids = [...new Set([...hands, ...creditor_ids])];
  return { meeting, kind: 'rotation', cycle, hands, earlier_round_open, debtor_ids, payee_ids };
}

export function isLastRound(meeting: MeetingRow, cycle: CycleRow): boolean {
  return meeting.round === cycle.rounds;
}
