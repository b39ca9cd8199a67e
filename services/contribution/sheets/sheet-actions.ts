import type { ActionSchema } from 'moleculer';
import type { ContributionDeps } from '../deps.ts';
import { putSheetAction } from './put-sheet.ts';
import { getSheetAction, listSheetsAction } from './read-sheets.ts';
import { submitSheetAction } from './submit-sheet.ts';

/** The actions of meeting sheets. */
export function sheetActions(deps: ContributionDeps): Record<string, ActionSchema> {
  return {
    put_sheet: putSheetAction(deps),
    submit_sheet: submitSheetAction(deps),
    list_sheets: listSheetsAction(deps),
    get_sheet: getSheetAction(deps),
  };
}
