import type { DatabaseDefinition } from '../../lib/db/database.ts';
import { associations } from './associations/association.table.ts';
import { testClocks } from './clock/test-clock.table.ts';
import { cycleBindingMembers, cycleBindings } from './cycles/binding.table.ts';
import { endings, executedApprovals } from './endings/ending.table.ts';
import { invitations } from './invitations/invitation.table.ts';
import { members } from './members/member.table.ts';
import { CreateTables1767225600000 } from './migrations/0001-create-tables.ts';
import { WholeContract1767312000000 } from './migrations/0002-whole-contract.ts';
import { PinNodes1767398400000 } from './migrations/0003-pin-nodes.ts';
import { Endings1767484800000 } from './migrations/0004-endings.ts';
import { OutboxLease1767571200000 } from './migrations/0005-outbox-lease.ts';
import { SagaColumns1767657600000 } from './migrations/0006-saga-columns.ts';
import { OutboxArchives1767744000000 } from './migrations/0007-outbox-archives.ts';
import { PinPepper1767830400000 } from './migrations/0008-pin-pepper.ts';
import { TimeZones1767916800000 } from './migrations/0009-time-zones.ts';
import { TestClock1768003200000 } from './migrations/0010-test-clock.ts';
import { ChangeAssociations1768089600000 } from './migrations/0011-change-associations.ts';
import { InvitationsListed1768176000000 } from './migrations/0012-invitations-listed.ts';
import { AssociationMetadata1768262400000 } from './migrations/0013-association-metadata.ts';
import { pinKeyNodes, pinPepper, pins, usedCiphertexts } from './pins/pin.table.ts';

export const membershipDatabase: DatabaseDefinition = {
  tables: [
    associations,
    members,
    invitations,
    cycleBindings,
    cycleBindingMembers,
    endings,
    executedApprovals,
    pins,
    usedCiphertexts,
    pinKeyNodes,
    pinPepper,
    testClocks,
  ],
  migrations: [
    CreateTables1767225600000,
    WholeContract1767312000000,
    PinNodes1767398400000,
    Endings1767484800000,
    OutboxLease1767571200000,
    SagaColumns1767657600000,
    OutboxArchives1767744000000,
    PinPepper1767830400000,
    TimeZones1767916800000,
    TestClock1768003200000,
    ChangeAssociations1768089600000,
    InvitationsListed1768176000000,
    AssociationMetadata1768262400000,
  ],
};
