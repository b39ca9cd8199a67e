import type { Verdict } from './checker.ts';
import { contributionsTakenBack, correctionsOf } from './corrections.ts';
import type { Exchange } from './exchange.ts';
import { factsOf } from './facts.ts';
import { approvalsOf } from './operations/approvals.ts';
import { duesOf } from './operations/dues.ts';
import { finesOf } from './operations/fines.ts';
import { contributionTransfersOf } from './operations/contribution-transfers.ts';
import { meetingsOf } from './operations/meetings.ts';
import { walletsOf } from './operations/wallets.ts';
import { paymentsOf } from './payments.ts';
import { requestsOf } from './requests.ts';
import { resolvePayments } from './resolve-payments.ts';
import { sheetPaymentsOf, submissionsOf } from './sheets.ts';

/** What was found out about one object. */
export interface Result extends Verdict {
  /** For example `wallet 0190…`. */
  object: string;
  operations: number;
}

/**
 * Checks that the history of each wallet, due, fine, meeting and approval is linearizable. The history needs the lists of members
 * and, at its end, the exports of the ledgers, as they say which wallets a settlement, a distribution or arrears have paid.
 * If objects existed before the history, it begins with reads of them and of the heads of the ledgers.
 */
export function checkHistory(history: readonly Exchange[]): Result[] {
  const requests = requestsOf(history);
  const facts = factsOf(requests);
  const submissions = submissionsOf(requests, facts);
  const corrections = correctionsOf(requests, facts);
  const asked = [...paymentsOf(requests, facts), ...sheetPaymentsOf(submissions)];
  const payments = resolvePayments(asked, requests);
  const takenBack = contributionsTakenBack(corrections, facts);
  const objects = [
    ...walletsOf(requests, facts, payments),
    ...duesOf(requests, payments, takenBack),
    ...meetingsOf(requests, payments, takenBack),
    ...finesOf(requests, facts, submissions, corrections),
    ...approvalsOf(requests, facts),
    ...contributionTransfersOf(requests, facts, payments),
  ];
  return objects.map(({ name, operations, check }) => ({ object: name, operations, ...check() }));
}

/** Describes what is wrong, for people; empty if nothing is. */
export function describeFaults(results: readonly Result[]): string {
  return results
    .filter(({ outcome }) => outcome !== 'ok')
    .map(({ object, outcome, explanation = '' }) => `${object}: ${outcome}\n${explanation}`)
    .join('\n\n');
}
