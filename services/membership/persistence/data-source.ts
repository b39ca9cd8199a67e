import type { DatabaseDefinition } from '../../../lib/persistence/database.ts';
import { AssociationEntity } from './association.entity.ts';
import { InvitationEntity } from './invitation.entity.ts';
import { MemberEntity } from './member.entity.ts';
import { CreateMembership1767225600000 } from './migrations/1767225600000-create-membership.ts';

export const membershipDatabase: DatabaseDefinition = {
  entities: [AssociationEntity, MemberEntity, InvitationEntity],
  migrations: [CreateMembership1767225600000],
};
