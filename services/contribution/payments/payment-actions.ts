import type { ActionSchema } from 'moleculer';
import type { ContributionDeps } from '../deps.ts';
import { contributeAction } from './contribute.ts';
import { decideCashAction } from './decide-cash.ts';
import { getContributionAction, listContributionsAction, listDuesAction } from './read-contributions.ts';
import { takeCashAction } from './take-cash.ts';

/** The actions of contributions and dues. */
export function paymentActions(deps: ContributionDeps): Record<string, ActionSchema> {
  return {
    list_dues: listDuesAction(deps),
    list_contributions: listContributionsAction(deps),
    get_contribution: getContributionAction(deps),
    contribute: contributeAction(deps),
    take_cash: takeCashAction(deps),
    decide_cash: decideCashAction(deps),
  };
}
