import type { Service, ServiceSchema } from 'moleculer';
import { health } from '../../lib/contracts/contribution.ts';
import type { Runtime } from '../../lib/node/runtime.ts';
import { layFoundation } from '../../lib/service/service-context.ts';
import { healthAction } from '../../lib/service/health.ts';
import { changeMeetingAction } from './actions/change-meeting.ts';
import { cancelMeetingAction } from './actions/cancel-meeting.ts';
import { contributeAction } from './actions/contribute.ts';
import { decideCashAction } from './actions/decide-cash.ts';
import { getContributionAction } from './actions/get-contribution.ts';
import { getCycleAction } from './actions/get-cycle.ts';
import { getMeetingAction } from './actions/get-meeting.ts';
import { getSettlementAction } from './actions/get-settlement.ts';
import { listContributionsAction } from './actions/list-contributions.ts';
import { listCyclesAction } from './actions/list-cycles.ts';
import { listDuesAction } from './actions/list-dues.ts';
import { listMeetingsAction } from './actions/list-meetings.ts';
import { obligationsAction } from './actions/obligations.ts';
import { previewSettlementAction } from './actions/preview-settlement.ts';
import { scheduleMeetingAction } from './actions/schedule-meeting.ts';
import { lockAssociationAction } from './actions/lock-association.ts';
import { settleAction } from './actions/settle.ts';
import { statementFactsAction } from './actions/statement-facts.ts';
import { startCycleAction } from './actions/start-cycle.ts';
import { unlockAssociationAction } from './actions/unlock-association.ts';
import { takeCashAction } from './actions/take-cash.ts';
import { DEFAULT_TIMINGS } from './deps.ts';
import type { ContributionDeps, Timings } from './deps.ts';
import { contributionDatabase } from './persistence/data-source.ts';
import { gatherStatements } from './persistence/gathered.ts';
import { sweepsOf } from './sagas/sweeps.ts';

export interface ContributionOptions {
  timings?: Partial<Timings>;
}

/** Cycles, meetings, contributions, settlements. */
export async function contributionService(runtime: Runtime, options: ContributionOptions = {}): Promise<ServiceSchema> {
  const foundation = await layFoundation(runtime, 'contribution', contributionDatabase);
  const gathered = gatherStatements(foundation.db.batches, foundation.db.pool, runtime.clock);
  const deps: ContributionDeps = { foundation, gathered, timings: { ...DEFAULT_TIMINGS, ...options.timings } };
  return {
    name: 'contribution',
    actions: {
      start_cycle: startCycleAction(deps),
      list_cycles: listCyclesAction(deps),
      get_cycle: getCycleAction(deps),
      schedule_meeting: scheduleMeetingAction(deps),
      change_meeting: changeMeetingAction(deps),
      list_meetings: listMeetingsAction(deps),
      get_meeting: getMeetingAction(deps),
      list_dues: listDuesAction(deps),
      list_contributions: listContributionsAction(deps),
      get_contribution: getContributionAction(deps),
      contribute: contributeAction(deps),
      preview_settlement: previewSettlementAction(deps),
      settle: settleAction(deps),
      cancel_meeting: cancelMeetingAction(deps),
      take_cash: takeCashAction(deps),
      decide_cash: decideCashAction(deps),
      get_settlement: getSettlementAction(deps),
      obligations: obligationsAction(deps),
      statement_facts: statementFactsAction(deps),
      lock_association: lockAssociationAction(deps),
      unlock_association: unlockAssociationAction(deps),
      health: healthAction(health, foundation),
    },
    started(this: Service) {
      foundation.start(this, { sweeps: sweepsOf(deps, this.broker, this.logger) });
    },
    stopped: () => foundation.stop(),
  };
}
