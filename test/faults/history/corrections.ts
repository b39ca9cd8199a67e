/** Corrections take back what a transfer has paid, and then reverse the transfer or restore that. */
import { amountOf } from './amounts.ts';
import type { Json } from './exchange.ts';
import type { Operation } from './checker.ts';
import type { Facts } from './facts.ts';
import { decidedBy } from './payments.ts';
import { executionOf } from './sheets.ts';
import type { Request } from './requests.ts';

/** A correction that the board has approved. */
export interface Correction {
  id: string;
  transfer: string;
  /** The transfer's kind and amount. */
  kind: string;
  amount: bigint;
  /** Undefined if its end is not known. */
  isReversed: boolean | undefined;
  /** When it can have begun, and when its end was seen. */
  from: number;
  by: number;
}

/** Returns the approved corrections of a history. */
export function correctionsOf(requests: readonly Request[], facts: Facts): Correction[] {
  return [...facts.shownApprovals].flatMap(([id, shown]): Correction[] => {
    const rows = shown.map(({ row }) => row);
    const approved = rows.find((row) => row['subject_type'] === 'correction' && row['status'] === 'approved');
    if (approved === undefined) return [];
    const ended = shown.find(({ row }) => ['done', 'failed'].includes(executionOf(row) as string));
    const end = { outcome: 'open', endedBy: ended?.seenAt ?? Infinity } as const;
    const { endsFrom, endedBy } = decidedBy(end, id, requests);
    const payload = approved['payload'] as Json;
    return [
      {
        id: approved['subject_id'] as string,
        transfer: payload['transfer_id'] as string,
        kind: payload['kind'] as string,
        amount: amountOf(payload['amount']),
        isReversed: ended === undefined ? undefined : executionOf(ended.row) === 'done',
        from: Number.isFinite(endsFrom) ? endsFrom : 0,
        by: endedBy,
      },
    ];
  });
}

/** A contribution that a correction takes back. */
export interface TakenBack {
  correction: Correction;
  meeting: string;
  member: string;
  amount: bigint;
}

/** Returns the contributions on the transfers of corrections. */
export function contributionsTakenBack(corrections: readonly Correction[], facts: Facts): TakenBack[] {
  return corrections.flatMap((correction) =>
    facts.contributionsOn(correction.transfer).map((row) => ({
      correction,
      meeting: row['meeting_id'] as string,
      member: row['member_id'] as string,
      amount: amountOf(row['amount']),
    })),
  );
}

/** What the steps of a correction do to an object. */
export interface CorrectionInputs<Input> {
  takeBack: Input;
  reverse: Input;
  restore: Input;
}

/** Returns the operations of a correction: what was paid is taken back, and then given back or paid again. */
export function correctionSteps<Input>(
  { id, isReversed, from, by }: Correction,
  inputs: CorrectionInputs<Input>,
): Operation<Input>[] {
  const step = (what: keyof CorrectionInputs<Input>, more: Partial<Operation<Input>> = {}): Operation<Input> => {
    return { call: from, return: by, input: inputs[what], label: `correction ${id.slice(-6)}: ${what}`, ...more };
  };
  const isOptional = isReversed !== true;
  const takeBack = step('takeBack', { isOptional });
  const reverse = step('reverse', { isOptional, needs: [takeBack] });
  if (isReversed === true) return [takeBack, reverse];
  const restore = step('restore', { isOptional, needs: [takeBack] });
  if (isReversed === false) {
    // One that contribution refused has taken nothing back.
    takeBack.obliges = [restore];
    return [takeBack, restore];
  }
  reverse.neverAfter = [restore];
  restore.neverAfter = [reverse];
  return [takeBack, reverse, restore];
}
