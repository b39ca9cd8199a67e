import type { OwnFigures } from '../../../lib/contracts/contribution.ts';
import { toMajor } from '../../../lib/money/amount.ts';
import { outstandingOf } from '../cycles/cycle.rules.ts';
import { shareOut } from '../settlement/pot.rules.ts';
import type { FiguresRow } from './overview.store.ts';

/** Returns what contribution knows of a membership, as clients see it. */
export function showFigures(row: FiguresRow): OwnFigures {
  const major = (minor: bigint | number) => toMajor(BigInt(minor), row.currency);
  const { association_id, cycle_id, due_minor } = row;
  return {
    association_id,
    ...(cycle_id === null || due_minor === null
      ? { dues: [], next_turn: null }
      : { dues: showDues(row, cycle_id, due_minor, major), next_turn: showNextTurn(row, cycle_id, major) }),
    owes: major(row.owes_minor),
    is_owed: major(row.is_owed_minor),
    arrears: (row.arrears ?? []).map(({ id, round, title, due_on, since, owes_minor }) => ({
      meeting: { id, round, title, due_on },
      amount: major(owes_minor),
      since: new Date(since).toISOString(),
    })),
    fines_outstanding: major(row.fines_minor),
    fines: (row.fines ?? []).map(({ fine_id, code, meeting_id, assessed_at, left_minor }) => ({
      fine_id,
      code,
      meeting_id,
      outstanding: major(left_minor),
      assessed_at: new Date(assessed_at).toISOString(),
    })),
  };
}

type ToMajor = (minor: bigint | number) => number;

function showDues({ dues }: FiguresRow, cycle_id: string, due_minor: bigint, major: ToMajor): OwnFigures['dues'] {
  const due = major(due_minor);
  return (dues ?? []).map(({ id, round, title, due_on, paid_minor }) => ({
    meeting_id: id,
    cycle_id,
    round,
    title,
    due_on,
    due,
    paid: major(paid_minor),
    outstanding: major(outstandingOf(due_minor, BigInt(paid_minor))),
  }));
}

function showNextTurn({ next_turn, member_id }: FiguresRow, cycle_id: string, major: ToMajor): OwnFigures['next_turn'] {
  if (next_turn === null) return null;
  const { meeting_id, round, due_on, expected_minor, hands } = next_turn;
  const share = shareOut(BigInt(expected_minor), hands).find((each) => each.member_id === member_id);
  return { cycle_id, meeting_id, round, due_on, expected_amount: major(share?.amount_minor ?? 0n) };
}
