import type { Model } from '../checker.ts';

export type MeetingStatus = 'open' | 'settling' | 'settled' | 'cancelled';

/** What a request did to a meeting, or learned about it. */
export type MeetingInput =
  | { kind: 'take' | 'give_back' | 'pay' | 'take_back'; amount: bigint }
  /** Closes the meeting to contributions; `by` is the request. */
  | { kind: 'close'; by: string }
  | { kind: 'reopen'; by: string }
  /** `collected` is that of the answer; undefined if there was none. */
  | { kind: 'settle' | 'cancel'; by: string; collected: bigint | undefined }
  /** Refusals and answers that depend on the meeting's state. */
  | { kind: 'is_in'; statuses: readonly MeetingStatus[] }
  | { kind: 'in_flight' }
  | { kind: 'collected_below'; expected: bigint }
  | { kind: 'read'; status: MeetingStatus; collected: bigint };

export interface MeetingState {
  status: MeetingStatus;
  /** The request that has closed the meeting; null while it is open. */
  closedBy: string | null;
  inFlight: bigint;
  collected: bigint;
}

export interface MeetingTerms {
  /** When the history begins. */
  status: MeetingStatus;
  collected: bigint;
  /** Whether members owe arrears once it is settled, which are paid to its creditors and not into its pool. */
  hasArrears: boolean;
}

/** A meeting: takes payments only while it is open, and ends only when none is in flight, with all that was paid. */
export function meetingModel({ status, collected, hasArrears }: MeetingTerms): Model<MeetingState, MeetingInput> {
  return {
    initial: { status, closedBy: null, inFlight: 0n, collected },
    step: (state, input) => step(state, input, hasArrears),
    show: (state) =>
      `${state.status}, ${String(state.collected)} collected, ${String(state.inFlight)} in flight` +
      (state.closedBy === null ? '' : `, closed by ${state.closedBy}`),
  };
}

function step(
  state: MeetingState,
  input: MeetingInput,
  hasArrears: boolean,
): { state: MeetingState } | { refused: string } {
  const { status, closedBy, inFlight, collected } = state;
  const takesArrears = hasArrears && status === 'settled';
  switch (input.kind) {
    case 'take':
      if (takesArrears) return { state };
      return status === 'open'
        ? { state: { ...state, inFlight: inFlight + input.amount } }
        : { refused: `it is ${status}` };
    case 'give_back':
      return takesArrears ? { state } : { state: { ...state, inFlight: inFlight - input.amount } };
    case 'pay':
      if (takesArrears) return { state };
      return { state: { ...state, inFlight: inFlight - input.amount, collected: collected + input.amount } };
    case 'take_back':
      return status === 'open'
        ? { state: { ...state, inFlight: inFlight + input.amount, collected: collected - input.amount } }
        : { refused: `it is ${status}` };
    case 'close':
      return status === 'open'
        ? { state: { ...state, status: 'settling', closedBy: input.by } }
        : { refused: `it is ${status}` };
    case 'reopen':
      return closedBy === input.by
        ? { state: { ...state, status: 'open', closedBy: null } }
        : { refused: `it is ${status}` };
    case 'settle':
    case 'cancel':
      return end(state, input);
    case 'is_in':
      return input.statuses.includes(status) ? { state } : { refused: `it is ${status}` };
    case 'in_flight':
      return inFlight > 0n ? { state } : { refused: 'nothing is in flight' };
    case 'collected_below':
      return collected < input.expected ? { state } : { refused: `${String(collected)} is collected` };
    case 'read':
      if (status !== input.status) return { refused: `it is ${status}` };
      return collected === input.collected ? { state } : { refused: `${String(collected)} is collected` };
  }
}

function end(state: MeetingState, { kind, by, collected }: MeetingInput & { kind: 'settle' | 'cancel' }) {
  if (state.closedBy !== by) return { refused: `it is ${state.status}` };
  if (state.inFlight > 0n) return { refused: `${String(state.inFlight)} is in flight` };
  if (collected !== undefined && collected !== state.collected) {
    return { refused: `${String(state.collected)} is collected` };
  }
  const ended: MeetingState =
    kind === 'settle'
      ? { ...state, status: 'settled', closedBy: null }
      : { ...state, status: 'cancelled', closedBy: null, collected: 0n };
  return { state: ended };
}
