import type { Section } from './section.ts';
import { contributions } from './sections/contributions.ts';
import { eventLag } from './sections/event-lag.ts';
import { growthOfContributions } from './sections/growth-of-contributions.ts';
import { growthOfLedger } from './sections/growth-of-ledger.ts';
import { ledgerSlowFlush } from './sections/ledger-slow-flush.ts';
import { ledger } from './sections/ledger.ts';
import { partitioning } from './sections/partitioning.ts';
import { pruning } from './sections/pruning.ts';
import { reads } from './sections/reads.ts';
import { relay } from './sections/relay.ts';
import { settlements } from './sections/settlements.ts';
import { spreadOfLedger } from './sections/spread-of-ledger.ts';
import { start } from './sections/start.ts';
import { storage } from './sections/storage.ts';
import { treasuries } from './sections/treasuries.ts';

/** All parts of the benchmark, in the order in which they are measured. */
export const sections: readonly Section[] = [
  ledger,
  ledgerSlowFlush,
  contributions,
  reads,
  settlements,
  growthOfLedger,
  growthOfContributions,
  eventLag,
  treasuries,
  start,
  storage,
  relay,
  spreadOfLedger,
  partitioning,
  pruning,
];
