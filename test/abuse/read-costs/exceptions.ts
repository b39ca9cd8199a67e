import { OVERVIEW_MAX_DUES } from '../../../lib/contracts/overview.ts';
import { ENTRIES_READ_MAX } from '../../../services/treasury/ledger/transfer-lists.store.ts';
import { MOVEMENTS } from './fill-treasury.ts';
import { PAGE_ROWS } from './read-meter.ts';
import { MEMBERS, ROWS } from './rows.ts';

/** An operation that may read more rows of one table than the usual limit. */
interface Exception {
  operation: string;
  table: string;
  rows_max: number;
  reason: string;
}

/** The rows that are read for each association of a page in which the user has usual dues. */
const USUAL_DUES = 4;

/** Rows that are read beside those that an exception is about. */
const FEW = 50;

const COLLECTED = 'collected_amount is the sum of the dues: one for each member who has paid, and at most max_members.';
const HANDS = 'The answer contains the whole rotation: one row for each hand.';
const OVERVIEW =
  'It lists the dues of each association, at most as many as the limit, and the meetings of turns and arrears.';
const PREVIEW = 'It computes the settlement, which concerns each member of the cycle.';
const FILTERED = `It looks at ${String(ENTRIES_READ_MAX)} entries of an account, and gives fewer transfers if few fulfil the filters.`;
const STATEMENT = 'It shows the movements of one member, at most 10 000, and the sum of those before them.';

export const EXCEPTIONS: readonly Exception[] = [
  {
    operation: 'overview',
    table: 'meetings',
    rows_max: OVERVIEW_MAX_DUES + PAGE_ROWS * USUAL_DUES,
    reason: OVERVIEW,
  },
  { operation: 'overview', table: 'dues', rows_max: OVERVIEW_MAX_DUES + PAGE_ROWS * USUAL_DUES, reason: OVERVIEW },
  {
    operation: 'printSheet',
    table: 'members',
    // A bitmap counts the entries of the index and the rows.
    rows_max: 2 * ROWS + FEW,
    reason: 'It has a line for each active member. Whether there are too many for a sheet is known once they are read.',
  },
  {
    operation: 'getAttendance',
    table: 'attendance',
    rows_max: MEMBERS + FEW,
    reason: 'The answer contains who came: one row for each member.',
  },
  { operation: 'getMeeting', table: 'dues', rows_max: MEMBERS + FEW, reason: COLLECTED },
  // Two of the listed meetings have many dues.
  { operation: 'listMeetings', table: 'dues', rows_max: 2 * MEMBERS + FEW, reason: COLLECTED },
  { operation: 'getCycle', table: 'cycle_hands', rows_max: MEMBERS + FEW, reason: HANDS },
  { operation: 'listCycles', table: 'cycle_hands', rows_max: MEMBERS + FEW, reason: HANDS },
  { operation: 'previewSettlement', table: 'cycle_hands', rows_max: 2 * MEMBERS + FEW, reason: PREVIEW },
  // A bitmap counts the entries of the index and the rows.
  { operation: 'previewSettlement', table: 'cycle_members', rows_max: 2 * MEMBERS + FEW, reason: PREVIEW },
  { operation: 'previewSettlement', table: 'dues', rows_max: MEMBERS + FEW, reason: PREVIEW },
  {
    operation: 'previewSettlement',
    table: 'contributions',
    // Half of them are not refused. A bitmap counts the entries of the index and the rows.
    rows_max: ROWS + FEW,
    reason: 'It adds up what was paid for the meeting. Payments of one meeting need a PIN each.',
  },
  {
    operation: 'balances',
    table: 'accounts',
    rows_max: MEMBERS + FEW,
    reason:
      'Each meeting that was paid for has a pool or two. An index of those that are not empty would slow down every posting.',
  },
  {
    operation: 'balances',
    table: 'transfers',
    // A bitmap counts the entries of the index and the rows.
    rows_max: 2 * ROWS + FEW,
    reason: 'The balance of a past instant is the current one less the later transfers.',
  },
  {
    operation: 'listCorrections',
    table: 'corrections',
    rows_max: 2 * FEW,
    reason: 'PostgreSQL reads and sorts what is left of the list if that is little.',
  },
  // Each entry is compared with the next one of the account.
  { operation: 'ledger', table: 'entries', rows_max: 2 * ENTRIES_READ_MAX + FEW, reason: FILTERED },
  { operation: 'ledger', table: 'transfers', rows_max: ENTRIES_READ_MAX + FEW, reason: FILTERED },
  { operation: 'listWalletTransfers', table: 'entries', rows_max: 2 * ENTRIES_READ_MAX + FEW, reason: FILTERED },
  { operation: 'listWalletTransfers', table: 'transfers', rows_max: ENTRIES_READ_MAX + FEW, reason: FILTERED },
  { operation: 'statement', table: 'entries', rows_max: 2 * MOVEMENTS + FEW, reason: STATEMENT },
  { operation: 'statement', table: 'transfers', rows_max: 2 * MOVEMENTS + FEW, reason: STATEMENT },
  { operation: 'statement', table: 'contributions', rows_max: MOVEMENTS + FEW, reason: STATEMENT },
  { operation: 'statement', table: 'settlements', rows_max: MOVEMENTS + FEW, reason: STATEMENT },
  {
    operation: 'ledgerExport',
    table: 'transfers',
    // Each part reads a few transfers that the next one reads again.
    rows_max: 2 * ROWS,
    reason: 'It streams the whole ledger of the association, in parts of at most 500 transfers.',
  },
  {
    operation: 'listMembers',
    table: 'members',
    rows_max: 2 * ROWS + FEW,
    reason:
      'Filters by role and status read all who are or were members of the group. Indexes would slow down joining.',
  },
  {
    operation: 'listPublicAssociations',
    table: 'associations',
    // A bitmap counts the entries of the index and the rows.
    rows_max: 2 * ROWS + FEW,
    reason:
      'A filter that few associations fulfil reads the directory: each combination would need an index. Trigrams find words ' +
      'of three letters or more.',
  },
];
