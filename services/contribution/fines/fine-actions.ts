import type { ActionSchema } from 'moleculer';
import type { ContributionDeps } from '../deps.ts';
import { assessFineAction } from './assess-fine.ts';
import { payFineAction } from './pay-fine.ts';
import { checkFineAction, getFineAction, listFinesAction } from './read-fines.ts';

/** The actions of fines. */
export function fineActions(deps: ContributionDeps): Record<string, ActionSchema> {
  return {
    list_fines: listFinesAction(deps),
    get_fine: getFineAction(deps),
    assess_fine: assessFineAction(deps),
    pay_fine: payFineAction(deps),
    check_fine: checkFineAction(deps),
  };
}
