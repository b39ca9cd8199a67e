import type { Service, ServiceSchema } from 'moleculer';
import { health } from '../../lib/contracts/contribution.ts';
import type { Runtime } from '../../lib/runtime/runtime.ts';
import { layFoundation } from '../../lib/service/service-context.ts';
import { healthAction } from '../../lib/service/health.ts';
import { changeMeetingAction } from './meetings/change-meeting.ts';
import { cancelMeetingAction } from './meetings/cancel-meeting.ts';
import { contributeAction } from './payments/contribute.ts';
import { decideCashAction } from './payments/decide-cash.ts';
import { getContributionAction } from './payments/get-contribution.ts';
import { getCycleAction } from './cycles/get-cycle.ts';
import { getMeetingAction } from './meetings/get-meeting.ts';
import { getSettlementAction } from './settlement/get-settlement.ts';
import { listContributionsAction } from './payments/read-contributions.ts';
import { listCyclesAction } from './cycles/read-cycles.ts';
import { listDuesAction } from './payments/list-dues.action.ts';
import { listMeetingsAction } from './meetings/read-meetings.ts';
import { obligationsAction } from './association/obligations.ts';
import { previewSettlementAction } from './settlement/preview-settlement.ts';
import { scheduleMeetingAction } from './meetings/schedule-meeting.ts';
import { lockAssociationAction } from './association/lock-association.ts';
import { settleAction } from './settlement/settle.ts';
import { statementFactsAction } from './association/statement-facts.ts';
import { startCycleAction } from './cycles/start-cycle.ts';
import { unlockAssociationAction } from './association/unlock-association.ts';
import { takeCashAction } from './payments/take-cash.ts';
import { DEFAULT_TIMINGS } from './deps.ts';
import type { ContributionDeps, Timings } from './deps.ts';
import { contributionDatabase } from './database.ts';
import { gatherStatements } from './payments/gathered.ts';
import { sweepsOf } from './settlement/sweeps.ts';

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
