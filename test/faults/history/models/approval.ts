import type { Model, Step } from '../checker.ts';

export type ApprovalStatus = 'pending' | 'approved' | 'rejected' | 'expired' | 'cancelled';
export type Decision = 'approve' | 'reject';

/** An approval as an answer shows it. */
export interface ShownApproval {
  status: ApprovalStatus;
  /** Member -> decision. */
  votes: ReadonlyMap<string, Decision>;
  execution: string;
}

/** What a request did to an approval, or learned about it. */
export type ApprovalInput =
  /** `shown` is the approval in the answer; undefined if there was none. */
  | { kind: 'vote'; by: string; decision: Decision; shown: ShownApproval | undefined }
  | { kind: 'cancel' }
  /** Ends that no request asks for: the time is over, or a voter has lost their office. */
  | { kind: 'expire' }
  | { kind: 'review'; to: ApprovalStatus }
  | { kind: 'execute'; to: string }
  | { kind: 'already_voted'; by: string }
  | { kind: 'not_pending' }
  | { kind: 'read'; shown: ShownApproval };

export type ApprovalState = ShownApproval;

export interface ApprovalTerms {
  /** When the history begins. */
  initial: ApprovalState;
  required: number;
  /** Whether no officer lost their role, so that all votes count. */
  isBoardFixed: boolean;
}

/** Statuses in which the decision is not executed yet. */
const BEFORE_EXECUTION = ['none', 'pending'];

/**
 * An approval: each member votes once, while it is pending; it is approved with the vote that completes the required
 * number, and never changes after its end.
 */
export function approvalModel({ initial, ...terms }: ApprovalTerms): Model<ApprovalState, ApprovalInput> {
  return {
    initial,
    step(state, input) {
      const { status, votes } = state;
      const isPending = status === 'pending';
      switch (input.kind) {
        case 'vote':
          if (!isPending) return { refused: `it is ${status}` };
          if (votes.has(input.by)) return { refused: 'they have voted before' };
          return vote(state, input, terms);
        case 'cancel':
          return isPending ? { state: { ...state, status: 'cancelled' } } : { refused: `it is ${status}` };
        case 'expire':
          return isPending ? { state: { ...state, status: 'expired' } } : { refused: `it is ${status}` };
        case 'review':
          return isPending ? { state: end(state, input.to) } : { refused: `it is ${status}` };
        case 'execute':
          if (status !== 'approved' || !BEFORE_EXECUTION.includes(state.execution))
            return { refused: `it is ${status}` };
          return { state: { ...state, execution: input.to } };
        case 'already_voted':
          if (!isPending) return { refused: `it is ${status}` };
          return votes.has(input.by) ? { state } : { refused: 'they have not voted' };
        case 'not_pending':
          return isPending ? { refused: 'it is pending' } : { state };
        case 'read':
          return show(state) === show(input.shown) ? { state } : { refused: `it is ${show(state)}` };
      }
    },
    show,
  };
}

function vote(
  state: ApprovalState,
  { by, decision, shown }: ApprovalInput & { kind: 'vote' },
  { required, isBoardFixed }: Omit<ApprovalTerms, 'initial'>,
): Step<ApprovalState> {
  const votes = new Map([...state.votes, [by, decision]]);
  const approvals = [...votes.values()].filter((each) => each === 'approve').length;
  const enough: ApprovalStatus = approvals >= required ? 'approved' : 'pending';
  // Whether the required number can still be reached, and which votes count, depends on the board.
  const isRejected = shown?.status === 'rejected' && (decision === 'reject' || !isBoardFixed);
  const isLessThanSeems = shown?.status === 'pending' && !isBoardFixed;
  // An answer that did not arrive does not say whether the vote was the last. A review may follow at any time, or none.
  const isUnknown = shown === undefined && !isBoardFixed;
  const status = isUnknown ? 'pending' : isRejected || isLessThanSeems ? shown.status : enough;
  const next = end({ ...state, votes }, status);
  // Executed decisions are shown by the answer to the last vote, so the execution is not compared here.
  if (shown === undefined || showVotes(shown) === showVotes(next)) return { state: next };
  return { refused: `it is ${showVotes(next)} then` };
}

/** An approved request is executed next. */
function end(state: ApprovalState, status: ApprovalStatus): ApprovalState {
  const execution = status === 'approved' && state.execution === 'none' ? 'pending' : state.execution;
  return { ...state, status, execution };
}

function showVotes({ status, votes }: ShownApproval): string {
  return `${status} (${[...votes]
    .map((each) => each.join(' '))
    .toSorted()
    .join(', ')})`;
}

function show(state: ShownApproval): string {
  return `${showVotes(state)}, execution ${state.execution}`;
}
