import type { Operation } from '../checker.ts';
import { approvalsIn, type Facts } from '../facts.ts';
import type { Json } from '../exchange.ts';
import {
  approvalModel,
  type ApprovalInput,
  type ApprovalState,
  type ApprovalStatus,
  type Decision,
  type ShownApproval,
} from '../models/approval.ts';
import { isDone, isOpen, type Request } from '../requests.ts';
import { addTo, checkedObject, openingOf, type ByObject, type CheckedObject } from './objects.ts';

const GOVERNANCE = '/associations/:association/governance';
const DECISIONS: Record<string, Decision> = {
  [`POST ${GOVERNANCE}/approve`]: 'approve',
  [`POST ${GOVERNANCE}/reject`]: 'reject',
};
const CANCEL = `POST ${GOVERNANCE}/approvals/:approval/cancel`;
const SHOW = `GET ${GOVERNANCE}/approvals/:approval`;
const LIST = `GET ${GOVERNANCE}/approvals`;

const NEW: ApprovalState = { status: 'pending', votes: new Map(), execution: 'none' };

/** Returns the approvals of a history. Those that no answer shows are left out, as their required votes are not known. */
export function approvalsOf(requests: readonly Request[], facts: Facts): CheckedObject[] {
  const approvals: ByObject<ApprovalInput> = new Map();
  const shown = new Map<string, Json[]>();
  for (const request of requests) {
    for (const row of approvalsIn(request)) {
      const id = row['id'] as string;
      shown.set(id, [...(shown.get(id) ?? []), row]);
      // The answer to a vote shows the approval after a wait for the execution, so it is not a read.
      if (request.route === SHOW || request.route === LIST) {
        addTo(approvals, id, operationOf(request, { kind: 'read', shown: shownOf(row) }));
      }
    }
    addVote(approvals, request, facts);
    if (request.route === CANCEL) addCancellation(approvals, request);
  }
  const isBoardFixed = isFixed(requests, approvals);
  return [...approvals].flatMap(([id, operations]) => {
    const rows = shown.get(id);
    if (rows === undefined) return [];
    const required = rows[0]!['required_approvals'] as number;
    const opening = openingOf(operations)?.input;
    // A board of one person approves its own proposals when it makes them.
    const made: ApprovalState = required === 0 ? { ...NEW, status: 'approved', execution: 'pending' } : NEW;
    const initial = opening?.kind === 'read' ? opening.shown : made;
    const all = [...operations, ...ownSteps(rows, operations, isBoardFixed)];
    return [checkedObject(`approval ${id}`, approvalModel({ initial, required, isBoardFixed }), all)];
  });
}

/** Whether no officer lost their role during the history, by a decision or because they left. */
function isFixed(requests: readonly Request[], approvals: ByObject<ApprovalInput>): boolean {
  const isDecidedHere = (id: unknown) =>
    approvals.get(id as string)?.some(({ input }) => input.kind === 'vote') === true;
  return !requests.some((request) => {
    if (request.route.startsWith('DELETE ')) return isDone(request) || isOpen(request);
    return approvalsIn(request).some(({ id, subject_type, status, required_approvals }) => {
      const isChange = ['role_change', 'expulsion'].includes(subject_type as string) && status === 'approved';
      return isChange && (required_approvals === 0 || isDecidedHere(id));
    });
  });
}

function shownOf(row: Json): ShownApproval {
  const votes = (row['votes'] as Json[]).map((vote): [string, Decision] => [
    vote['member_id'] as string,
    vote['decision'] as Decision,
  ]);
  const { status } = row['execution'] as { status: string };
  return { status: row['status'] as ApprovalStatus, votes: new Map(votes), execution: status };
}

function operationOf(request: Request, input: ApprovalInput, isOptional = false): Operation<ApprovalInput> {
  const { id, user, route, code, status, call, return: returned } = request;
  const answer = code === '' ? String(status) : code;
  const label = `${id} ${user} ${route.split('/').at(-1) ?? ''} -> ${answer}: ${input.kind}`;
  return { call, return: returned, input, isOptional, label };
}

function addVote(approvals: ByObject<ApprovalInput>, request: Request, facts: Facts): void {
  const { route, user, params, sent, code, received } = request;
  const decision = DECISIONS[route];
  if (decision === undefined) return;
  const by = facts.memberOf(params['association']!, user);
  // A user who is no member in any answer has not voted.
  if (by === undefined && !isDone(request)) return;
  if (by === undefined) throw new Error(`${request.id}: no list of members shows who ${user} is`);
  const add = (input: ApprovalInput, isOptional = false) =>
    addTo(approvals, String(sent['approval_id']), operationOf(request, input, isOptional));
  if (isDone(request) && request.lost === 0) add({ kind: 'vote', by, decision, shown: shownOf(received) });
  else if (isDone(request)) {
    // The answer to a repeat shows the approval as it is now, perhaps with later votes.
    const vote = operationOf(request, { kind: 'vote', by, decision, shown: undefined });
    const read = operationOf(request, { kind: 'read', shown: shownOf(received) });
    addTo(approvals, String(sent['approval_id']), vote, { ...read, needs: [vote] });
  } else if (isOpen(request)) add({ kind: 'vote', by, decision, shown: undefined }, true);
  else if (code === 'already_voted') add({ kind: 'already_voted', by });
  else if (code === 'approval_not_pending') add({ kind: 'not_pending' });
}

function addCancellation(approvals: ByObject<ApprovalInput>, request: Request): void {
  const add = (input: ApprovalInput, isOptional = false) =>
    addTo(approvals, request.params['approval']!, operationOf(request, input, isOptional));
  if (isDone(request)) add({ kind: 'cancel' });
  else if (isOpen(request)) add({ kind: 'cancel' }, true);
  else if (request.code === 'approval_not_pending') add({ kind: 'not_pending' });
}

/** The steps that no request asks for, if an answer shows that they happened: executed, expired, rejected by review. */
function ownSteps(
  rows: readonly Json[],
  operations: readonly Operation<ApprovalInput>[],
  isBoardFixed: boolean,
): Operation<ApprovalInput>[] {
  const shown = rows.map(shownOf);
  const own = (input: ApprovalInput): Operation<ApprovalInput> => {
    return { call: 0, return: Infinity, input, isOptional: true, label: input.kind };
  };
  const steps: Operation<ApprovalInput>[] = [];
  const executions = shown.map(({ execution }) => execution);
  for (const to of ['done', 'failed']) if (executions.includes(to)) steps.push(own({ kind: 'execute', to }));
  if (shown.some(({ status }) => status === 'expired')) steps.push(own({ kind: 'expire' }));
  const isRejectedByVote = operations.some(({ input }) => input.kind === 'vote' && input.shown?.status === 'rejected');
  const isRejected = shown.some(({ status }) => status === 'rejected');
  if (isRejected && !isRejectedByVote) steps.push(own({ kind: 'review', to: 'rejected' }));
  const isApproved = shown.some(({ status }) => status === 'approved');
  if (isApproved && !isBoardFixed) steps.push(own({ kind: 'review', to: 'approved' }));
  return steps;
}
