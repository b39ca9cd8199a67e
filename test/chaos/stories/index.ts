import { cashAndCancelling, noApproverLeft } from './cash.ts';
import { closing, notClosing } from './closing.ts';
import { correcting, noCorrection } from './corrections.ts';
import { fines } from './fines.ts';
import { founding } from './founding.ts';
import { help } from './help.ts';
import { arrears, savings, tooFew } from './other-cycles.ts';
import { leaving } from './leaving.ts';
import { rotation } from './rotation.ts';
import { noSheet, sheets } from './sheets.ts';
import type { Story } from './story.ts';

/** Cycles, members, and the association itself. */
export const GROUP_STORIES: readonly Story[] = [
  founding,
  rotation,
  arrears,
  savings,
  tooFew,
  leaving,
  closing,
  notClosing,
];

/** Cash, distributions, corrections and meeting sheets, which wait for the board, and fines. */
export const REQUEST_STORIES: readonly Story[] = [
  cashAndCancelling,
  noApproverLeft,
  help,
  correcting,
  noCorrection,
  fines,
  sheets,
  noSheet,
];

/** Together they kill a process at every announced fault point (announced-steps.test.ts). */
export const STORIES: readonly Story[] = [...GROUP_STORIES, ...REQUEST_STORIES];
