import type { Check } from './check.ts';
import { approvalsCheck, executionsCheck, proposalsCheck, requestsCheck } from './checks/approvals.ts';
import { cashCheck, cashForMeetingsCheck, distributionsCheck } from './checks/board-requests.ts';
import {
  sheetApprovalsCheck,
  submissionsCheck,
  waivedFinesCheck,
  waiversCheck,
} from './checks/contribution-approvals.ts';
import { correctionsCheck, ownRecordsCheck, reversalsCheck, reversedCheck } from './checks/corrections.ts';
import { contributionsCheck, settlementsCheck } from './checks/contributions.ts';
import { inboxesCheck, streamCheck, unpublishedCheck } from './checks/events.ts';
import { finePaymentsCheck, finesCheck } from './checks/fines.ts';
import { balancesCheck, chainsCheck, headsCheck, totalsCheck } from './checks/ledger.ts';
import { arrearsCheck, duesCheck, poolsCheck, savingsCheck } from './checks/meetings.ts';
import { bindingsCheck, cyclesCheck, membersCheck, walletsCheck } from './checks/members.ts';
import { ownersCheck } from './checks/owners.ts';
import { sheetLinesCheck, sheetsCheck } from './checks/sheets.ts';

/** All checks, in the order in which they run. docs/backup.md lists them. */
export const CHECKS: readonly Check[] = [
  balancesCheck,
  totalsCheck,
  chainsCheck,
  headsCheck,
  contributionsCheck,
  settlementsCheck,
  ownersCheck,
  duesCheck,
  arrearsCheck,
  finePaymentsCheck,
  finesCheck,
  sheetsCheck,
  sheetLinesCheck,
  poolsCheck,
  savingsCheck,
  cashCheck,
  cashForMeetingsCheck,
  distributionsCheck,
  correctionsCheck,
  ownRecordsCheck,
  reversalsCheck,
  reversedCheck,
  approvalsCheck,
  requestsCheck,
  sheetApprovalsCheck,
  submissionsCheck,
  waiversCheck,
  waivedFinesCheck,
  executionsCheck,
  proposalsCheck,
  cyclesCheck,
  bindingsCheck,
  membersCheck,
  walletsCheck,
  unpublishedCheck,
  streamCheck,
  inboxesCheck,
];
