import type { ActionSchema } from 'moleculer';
import type { TreasuryDeps } from '../deps.ts';
import { getCorrectionAction, listCorrectionsAction } from './read-corrections.ts';
import { requestCorrectionAction } from './request-correction.ts';

/** The actions of corrections. */
export function correctionActions(deps: TreasuryDeps): Record<string, ActionSchema> {
  return {
    request_correction: requestCorrectionAction(deps),
    list_corrections: listCorrectionsAction(deps),
    get_correction: getCorrectionAction(deps),
  };
}
