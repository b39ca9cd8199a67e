import type { ActionSchema } from 'moleculer';
import type { ContributionDeps } from '../deps.ts';
import { finishReversalAction } from './finish-reversal.ts';
import { checkReversalAction, takeBackAction } from './take-back.ts';

/** The actions of reversals. */
export function reversalActions(deps: ContributionDeps): Record<string, ActionSchema> {
  return {
    check_reversal: checkReversalAction(deps),
    take_back: takeBackAction(deps),
    finish_reversal: finishReversalAction(deps),
  };
}
