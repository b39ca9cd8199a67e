import type { DatabaseDefinition } from '../../lib/db/database.ts';
import { AssociationEntity } from './persistence/association.entity.ts';
import { InvitationEntity } from './persistence/invitation.entity.ts';
import { MemberEntity } from './persistence/member.entity.ts';
import { CreateTables1767225600000 } from './migrations/0001-create-tables.ts';
import { WholeContract1767312000000 } from './migrations/0002-whole-contract.ts';
import { PinNodes1767398400000 } from './migrations/0003-pin-nodes.ts';
import { Endings1767484800000 } from './migrations/0004-endings.ts';
import { OutboxLease1767571200000 } from './migrations/0005-outbox-lease.ts';

export const membershipDatabase: DatabaseDefinition = {
  entities: [AssociationEntity, MemberEntity, InvitationEntity],
  migrations: [
    CreateTables1767225600000,
    WholeContract1767312000000,
    PinNodes1767398400000,
    Endings1767484800000,
    OutboxLease1767571200000,
  ],
};
