import type { DatabaseDefinition } from '../../lib/db/database.ts';
import { locks } from '../../lib/locks/locks.ts';
import { arrears, arrearsAllocations } from './arrears/arrears.table.ts';
import { attendance } from './attendance/attendance.table.ts';
import { cycleHands, cycleMembers, cycles } from './cycles/cycle.table.ts';
import { finePayments, fines } from './fines/fine.table.ts';
import { lateChecks, meetings } from './meetings/meeting.table.ts';
import { CreateTables1763683200000 } from './migrations/0001-create-tables.ts';
import { ArrearsCashCancellations1763769600000 } from './migrations/0002-arrears-cash-cancellations.ts';
import { CreateSavingsAndDraws1763856000000 } from './migrations/0003-savings-and-draws.ts';
import { IndexCreditors1763942400000 } from './migrations/0004-index-creditors.ts';
import { Locks1764028800000 } from './migrations/0005-locks.ts';
import { OutboxLease1764115200000 } from './migrations/0006-outbox-lease.ts';
import { DueOfMembers1764201600000 } from './migrations/0007-due-of-members.ts';
import { OutboxArchives1764288000000 } from './migrations/0008-outbox-archives.ts';
import { ContributionStatements1764374400000 } from './migrations/0009-contribution-statements.ts';
import { MeetingsByFilter1764460800000 } from './migrations/0010-meetings-by-filter.ts';
import { ContributionsShown1764547200000 } from './migrations/0011-contributions-shown.ts';
import { TimeZones1764633600000 } from './migrations/0012-time-zones.ts';
import { AttendanceAndFines1764720000000 } from './migrations/0013-attendance-and-fines.ts';
import { HandsOfMembers1764806400000 } from './migrations/0014-hands-of-members.ts';
import { UnpaidArrears1764892800000 } from './migrations/0015-unpaid-arrears.ts';
import { ContributionMetadata1764979200000 } from './migrations/0016-contribution-metadata.ts';
import { MeetingSheets1765065600000 } from './migrations/0017-meeting-sheets.ts';
import { Reversals1765152000000 } from './migrations/0018-reversals.ts';
import { IndexReversals1765238400000 } from './migrations/0019-index-reversals.ts';
import { ValidateReversals1765324800000 } from './migrations/0020-validate-reversals.ts';
import { LateRounds1765411200000 } from './migrations/0021-late-rounds.ts';
import {
  cashClaims,
  contributionMetadata,
  contributions,
  contributionStatements,
  dues,
} from './payments/contribution.table.ts';
import { reversals } from './reversals/reversal.table.ts';
import { settlementFineRules, settlements } from './settlement/settlement.table.ts';
import { sheets, sheetSubmissions, submittedLines } from './sheets/sheet.table.ts';

export const contributionDatabase: DatabaseDefinition = {
  tables: [
    cycles,
    cycleHands,
    cycleMembers,
    meetings,
    contributions,
    contributionMetadata,
    contributionStatements,
    dues,
    cashClaims,
    settlements,
    arrears,
    arrearsAllocations,
    attendance,
    fines,
    lateChecks,
    settlementFineRules,
    finePayments,
    sheets,
    sheetSubmissions,
    submittedLines,
    reversals,
    locks,
  ],
  migrations: [
    CreateTables1763683200000,
    ArrearsCashCancellations1763769600000,
    CreateSavingsAndDraws1763856000000,
    IndexCreditors1763942400000,
    Locks1764028800000,
    OutboxLease1764115200000,
    DueOfMembers1764201600000,
    OutboxArchives1764288000000,
    ContributionStatements1764374400000,
    MeetingsByFilter1764460800000,
    ContributionsShown1764547200000,
    TimeZones1764633600000,
    AttendanceAndFines1764720000000,
    HandsOfMembers1764806400000,
    UnpaidArrears1764892800000,
    ContributionMetadata1764979200000,
    MeetingSheets1765065600000,
    Reversals1765152000000,
    IndexReversals1765238400000,
    ValidateReversals1765324800000,
    LateRounds1765411200000,
  ],
};
