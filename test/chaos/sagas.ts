import type { TableService } from '../../lib/config/service-names.ts';
import type { Table } from '../../lib/db/table.ts';
import type { Saga, SagaRow } from '../../lib/saga/saga.ts';
import type { StateTable } from '../../lib/saga/states.ts';
import { createCycleSaga } from '../../services/contribution/cycles/cycle.saga.ts';
import { CYCLE_STATES, cycles } from '../../services/contribution/cycles/cycle.table.ts';
import { createFinePaymentSaga } from '../../services/contribution/fines/fine-payment.saga.ts';
import { FINE_PAYMENT_STATES, finePayments } from '../../services/contribution/fines/fine.table.ts';
import { createContributionSaga } from '../../services/contribution/payments/contribution.saga.ts';
import { CONTRIBUTION_STATES, contributions } from '../../services/contribution/payments/contribution.table.ts';
import { createSettlementSaga } from '../../services/contribution/settlement/settlement.saga.ts';
import { SETTLEMENT_STATES, settlements } from '../../services/contribution/settlement/settlement.table.ts';
import { createSheetSaga } from '../../services/contribution/sheets/sheet.saga.ts';
import { sheetSubmissions, SUBMISSION_STATES } from '../../services/contribution/sheets/sheet.table.ts';
import { createExecutionSaga } from '../../services/governance/executions/execution.saga.ts';
import { EXECUTION_STEPS, executions } from '../../services/governance/executions/execution.table.ts';
import { createEndingSaga } from '../../services/membership/endings/ending.saga.ts';
import { ENDING_STATES, endings } from '../../services/membership/endings/ending.table.ts';
import { createCashDepositSaga } from '../../services/treasury/cash/cash-deposit.saga.ts';
import { CASH_DEPOSIT_STATES, cashDeposits } from '../../services/treasury/cash/cash-deposit.table.ts';
import { createCorrectionSaga } from '../../services/treasury/corrections/correction.saga.ts';
import { CORRECTION_STATES, corrections } from '../../services/treasury/corrections/correction.table.ts';
import { createDistributionSaga } from '../../services/treasury/distributions/distribution.saga.ts';
import { DISTRIBUTION_STATES, distributions } from '../../services/treasury/distributions/distribution.table.ts';

/** A saga of a service, and its states. */
export interface ListedSaga {
  service: TableService;
  name: string;
  table: string;
  /** States with a step: rows in them are unfinished. */
  moving: string[];
  resting: string[];
}

/** Replaces the dependencies of the sagas, which do not run here. */
const IDLE = { runtime: {} } as never;

/** The sagas of all services. A test compares their number with the sources. */
export const SAGAS: readonly ListedSaga[] = [
  listed('contribution', createContributionSaga(IDLE, IDLE, IDLE), contributions, CONTRIBUTION_STATES),
  listed('contribution', createCycleSaga(IDLE, IDLE), cycles, CYCLE_STATES),
  listed('contribution', createSettlementSaga(IDLE, IDLE), settlements, SETTLEMENT_STATES),
  listed('contribution', createFinePaymentSaga(IDLE, IDLE), finePayments, FINE_PAYMENT_STATES),
  listed('contribution', createSheetSaga(IDLE, IDLE), sheetSubmissions, SUBMISSION_STATES),
  listed('governance', createExecutionSaga(IDLE, IDLE), executions, EXECUTION_STEPS),
  listed('membership', createEndingSaga(IDLE, IDLE), endings, ENDING_STATES),
  listed('treasury', createCashDepositSaga(IDLE, IDLE, IDLE).saga, cashDeposits, CASH_DEPOSIT_STATES),
  listed('treasury', createDistributionSaga(IDLE, IDLE, IDLE).saga, distributions, DISTRIBUTION_STATES),
  listed('treasury', createCorrectionSaga(IDLE, IDLE, IDLE, IDLE).saga, corrections, CORRECTION_STATES),
];

function listed<S extends string, Row extends SagaRow<S>>(
  service: TableService,
  saga: Saga<S, Row>,
  { name: table }: Table<Row>,
  states: StateTable<S>,
): ListedSaga {
  const all = Object.keys(states) as S[];
  const isResting = (status: S) => saga.isIdle({ status } as Row);
  return {
    service,
    name: saga.name,
    table,
    moving: all.filter((status) => !isResting(status)),
    resting: all.filter(isResting),
  };
}
