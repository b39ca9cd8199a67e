/** Stores approvals, votes and decisions again that a restored governance database has lost, and repeats executions. */
import { canonicalHash } from '../../lib/canonical/canonical-hash.ts';
import type { Decision, SubjectType } from '../../lib/contracts/approvals.ts';
import { insertRows } from '../../lib/db/table.ts';
import type { SheetRow } from '../../services/contribution/sheets/sheet.table.ts';
import { sheetPayload } from '../../services/contribution/sheets/sheet.view.ts';
import { approvals, votes, type ApprovalRow } from '../../services/governance/approvals/approval.table.ts';
import { executionAfter, firstStep } from '../../services/governance/executions/execution.rules.ts';
import { executions } from '../../services/governance/executions/execution.table.ts';
import { cashDepositPayload } from '../../services/treasury/cash/cash-deposit.rules.ts';
import type { CashDeposit } from '../../services/treasury/cash/cash-deposit.table.ts';
import { correctionPayload, beneficiaryOf } from '../../services/treasury/corrections/correction.rules.ts';
import type { Correction } from '../../services/treasury/corrections/correction.table.ts';
import { distributionPayload } from '../../services/treasury/distributions/distribution.rules.ts';
import type { Distribution } from '../../services/treasury/distributions/distribution.table.ts';
import { approvalsCheck, executionsCheck } from '../verify/checks/approvals.ts';
import { sheetApprovalsCheck, waiversCheck } from '../verify/checks/contribution-approvals.ts';
import type { Cursor } from '../verify/check.ts';
import type { LostEvent, Repair } from './repair.ts';

const DECIDED = ['approval.approved', 'approval.rejected', 'approval.expired', 'approval.cancelled'] as const;

/** Repeats lost events of governance, in their order. */
export async function redoApprovals(repair: Repair): Promise<void> {
  for (const lost of repair.lost.ofType('approval.requested')) await redoApproval(repair, lost);
  for (const lost of repair.lost.ofType('approval.voted')) await redoVote(repair, lost);
  for (const lost of repair.lost.ofType(...DECIDED)) await redoDecision(repair, lost);
  await redoOwnersDecisions(repair);
}

async function findApproval({ tx }: Repair, id: string): Promise<ApprovalRow | undefined> {
  return tx.governance.first<ApprovalRow>('SELECT * FROM approvals WHERE id = $1', [id]);
}

async function redoApproval(repair: Repair, lost: LostEvent<'approval.requested'>): Promise<void> {
  const { subject: association_id = '', time, data } = lost.event;
  const { approval_id: id, subject_type, subject_id, requested_by_member_id, required_approvals, expires_at } = data;
  if ((await findApproval(repair, id)) !== undefined) return;
  const subject = await readSubject(repair, subject_type, subject_id);
  if (subject === undefined) {
    repair.lost.markUndone(lost);
    repair.cannot(`approval ${id} of ${subject_type} ${subject_id} is lost, and no other record has its content`);
    return;
  }
  const row: ApprovalRow = {
    id,
    association_id,
    subject_type,
    subject_id,
    ...subject,
    payload_hash: canonicalHash(subject.payload),
    status: 'pending',
    required_approvals,
    requested_by_member_id,
    requested_at: new Date(time),
    expires_at: new Date(expires_at),
    decided_at: null,
    execution_status: 'none',
    execution_error: null,
    // The board may have changed since then.
    rejudge_mark: repair.runtime.newId(),
    cancelled_by_operation_id: null,
  };
  await insertRows(repair.tx.governance, approvals, [row]);
  repair.did('approvals', `store approval ${id} of ${subject_type} ${subject_id} again`);
}

/** Returns the payload of a request, as the treasury or contribution has it. The content of a proposal is in governance only. */
async function readSubject({ tx }: Repair, type: SubjectType, id: string) {
  if (type === 'cash_deposit') {
    const deposit = await tx.treasury.first<CashDeposit>('SELECT * FROM cash_deposits WHERE id = $1', [id]);
    return deposit && { payload: cashDepositPayload(deposit), concerned_member_id: deposit.member_id };
  }
  if (type === 'correction') {
    const correction = await tx.treasury.first<Correction>('SELECT * FROM corrections WHERE id = $1', [id]);
    return correction && { payload: correctionPayload(correction), concerned_member_id: beneficiaryOf(correction) };
  }
  if (type === 'meeting_sheet') {
    const sheet = await tx.contribution.first<SheetRow>('SELECT * FROM sheets WHERE id = $1', [id]);
    return sheet && { payload: sheetPayload(sheet), concerned_member_id: null };
  }
  if (type !== 'distribution') return undefined;
  const row = await tx.treasury.first<Distribution>('SELECT * FROM distributions WHERE id = $1', [id]);
  return row && { payload: distributionPayload(row), concerned_member_id: row.beneficiary_member_id };
}

async function redoVote(repair: Repair, lost: LostEvent<'approval.voted'>): Promise<void> {
  const { approval_id, member_id, decision } = lost.event.data;
  if ((await findApproval(repair, approval_id)) === undefined) {
    repair.lost.markUndone(lost);
    return;
  }
  const stored = await repair.tx.governance.first('SELECT FROM votes WHERE approval_id = $1 AND member_id = $2', [
    approval_id,
    member_id,
  ]);
  if (stored !== undefined) return;
  const vote = {
    approval_id,
    member_id,
    decision,
    reason: null,
    voted_at: new Date(lost.event.time),
    operation_id: null,
  };
  await insertRows(repair.tx.governance, votes, [vote]);
  repair.did('votes', `store the vote of member ${member_id} on approval ${approval_id} again`);
}

async function redoDecision(repair: Repair, lost: LostEvent<(typeof DECIDED)[number]>): Promise<void> {
  const { type, time, data } = lost.event;
  const approval = await findApproval(repair, data.approval_id);
  if (approval === undefined) repair.lost.markUndone(lost);
  else await decideAgain(repair, approval, type.replace('approval.', '') as Decision, new Date(time));
}

/** Decides a pending approval as before. Recovery then repeats its execution, which its owner carries out once. */
async function decideAgain(repair: Repair, approval: ApprovalRow, decision: Decision, decided_at: Date): Promise<void> {
  const { id, subject_type, status } = approval;
  if (status !== 'pending') return;
  await repair.tx.governance.run(
    'UPDATE approvals SET status = $2, decided_at = $3, execution_status = $4, rejudge_mark = NULL WHERE id = $1',
    [id, decision, decided_at, executionAfter(subject_type, decision)],
  );
  const step = firstStep(subject_type, decision);
  if (step !== null)
    await insertRows(repair.tx.governance, executions, [{ id, status: step, last_attempt_at: decided_at }]);
  repair.did('decisions', `mark approval ${id} as ${decision} again`);
}

/** Requests of the treasury whose approval is lost or pending, with the decision that the treasury has executed. */
const REQUESTS = `
  SELECT id, 'cash_deposit' AS subject_type, approval_id, status, decision, last_attempt_at AS at FROM cash_deposits
  WHERE status NOT IN ('taking', 'recording', 'withdrawing', 'refused')
  UNION ALL
  SELECT id, 'distribution', approval_id, status, decision, coalesce(decided_at, last_attempt_at) FROM distributions
  WHERE status NOT IN ('reserving', 'requesting', 'withdrawing', 'refused')
  UNION ALL
  SELECT id, 'correction', approval_id, status, decision, coalesce(decided_at, last_attempt_at) FROM corrections
  WHERE status NOT IN ('recording', 'refused')`;

/** The states in which their service asks governance to open the approval. It is opened once for its id. */
const OPENING = {
  cash_deposit: ['treasury', 'cash_deposits', 'recording'],
  distribution: ['treasury', 'distributions', 'requesting'],
  correction: ['treasury', 'corrections', 'recording'],
  meeting_sheet: ['contribution', 'sheet_submissions', 'opening'],
} as const;

/** The submitted sheets of contribution. */
const SUBMISSIONS = `
  SELECT id, 'meeting_sheet' AS subject_type, approval_id, status, decision, coalesce(decided_at, last_attempt_at) AS at
  FROM sheet_submissions WHERE status NOT IN ('opening', 'refused')`;

async function redoOwnersDecisions(repair: Repair): Promise<void> {
  const { tx } = repair;
  const requests = [
    ...(await tx.treasury.rows<Request>(REQUESTS)),
    ...(await tx.contribution.rows<Request>(SUBMISSIONS)),
  ];
  const rows = await tx.governance.rows<ApprovalRow>('SELECT * FROM approvals WHERE id = ANY($1::uuid[])', [
    requests.map(({ approval_id }) => approval_id),
  ]);
  const known = new Map(rows.map((row) => [row.id, row]));
  for (const { id, subject_type, approval_id, status, decision, at } of requests) {
    const approval = known.get(approval_id);
    if (approval !== undefined) {
      // The votes are lost, and the service that asked for the approval has the decision.
      if (decision !== null) await decideAgain(repair, approval, decision, at);
    } else if (status === 'pending_approval' || status === 'submitted') {
      const [service, table, opening] = OPENING[subject_type];
      await tx[service].run(`UPDATE ${table} SET status = $2 WHERE id = $1`, [id, opening]);
      repair.did('approvals', `open the approval of ${subject_type} ${id} again`);
    } else {
      repair.cannot(`${subject_type} ${id} is ${status}, and its approval ${approval_id} is lost`);
    }
  }
}

interface Request {
  id: string;
  subject_type: 'cash_deposit' | 'distribution' | 'correction' | 'meeting_sheet';
  approval_id: string;
  status: string;
  decision: Decision | null;
  at: Date;
}

/** Has decisions executed again that the treasury, contribution or membership has lost. Each executes a decision once. */
export async function redoExecutions(repair: Repair): Promise<void> {
  const { tx } = repair;
  for (const check of [approvalsCheck, sheetApprovalsCheck, waiversCheck, executionsCheck]) {
    for (let after: Cursor | null = null; ;) {
      const { next, differences } = await check.page({ db: tx }, after);
      for (const { key } of differences) await executeAgain(repair, key);
      if (next === null) break;
      after = next;
    }
  }
}

async function executeAgain(repair: Repair, id: string): Promise<void> {
  const { tx } = repair;
  const approval = await findApproval(repair, id);
  const isDecided = approval !== undefined && approval.status !== 'pending';
  const step = isDecided ? firstStep(approval.subject_type, approval.status) : null;
  if (step === null || approval === undefined) return;
  const { subject_type, status } = approval;
  if (!(await hasSubject(repair, approval))) {
    repair.cannot(`approval ${id} of ${subject_type} is ${status}, and contribution has lost what it is about`);
    return;
  }
  await tx.governance.run('UPDATE executions SET status = $2 WHERE id = $1', [id, step]);
  await tx.governance.run('UPDATE approvals SET execution_status = $2, execution_error = NULL WHERE id = $1', [
    id,
    executionAfter(subject_type, status as Decision),
  ]);
  repair.did('executions', `execute approval ${id} of ${subject_type} (${status}) again`);
}

/** Whether contribution has what the approval is about, which a repair does not store again. */
async function hasSubject({ tx }: Repair, { id, subject_type, payload }: ApprovalRow): Promise<boolean> {
  const has = async (sql: string, key: unknown) => (await tx.contribution.first(sql, [key])) !== undefined;
  if (subject_type === 'meeting_sheet') return has('SELECT FROM sheet_submissions WHERE approval_id = $1', id);
  if (subject_type === 'fine_waiver') return has('SELECT FROM fines WHERE id = $1', payload.fine_id);
  return true;
}
