import type { Section } from './section.ts';
import { callers } from './sections/callers.ts';
import { contributions } from './sections/contributions.ts';
import { eventLag } from './sections/event-lag.ts';
import { growthOfContributions } from './sections/growth-of-contributions.ts';
import { growthOfLedger } from './sections/growth-of-ledger.ts';
import { ledger, ledgerSlowFlush } from './sections/ledger.ts';
import { profile } from './sections/profile.ts';
import { reads } from './sections/reads.ts';
import { settlements } from './sections/settlements.ts';
import { sheets } from './sections/sheets.ts';
import { start } from './sections/start.ts';
import { timing } from './sections/timing.ts';

/** All sections of the benchmark, in the order in which they are measured. */
export const sections: readonly Section[] = [
  ledger,
  ledgerSlowFlush,
  contributions,
  reads,
  settlements,
  sheets,
  growthOfLedger,
  growthOfContributions,
  eventLag,
  callers,
  start,
  timing,
  profile,
];
