import type { EntityManager } from 'typeorm';
import type { PROPOSAL_PAYLOADS } from '../../../lib/contracts/governance.ts';
import type { Value } from '../../../lib/schema/fields.ts';
import type { Foundation } from '../../../lib/service/service-context.ts';
import type { AssociationRecord } from '../associations/association.table.ts';

export type ProposalPayloads = { [T in keyof typeof PROPOSAL_PAYLOADS]: Value<(typeof PROPOSAL_PAYLOADS)[T]> };

/** The transaction in which a proposal is checked or carried out; the association is locked. */
export interface ChangeScope {
  foundation: Foundation;
  manager: EntityManager;
  association: AssociationRecord;
}

/** Does what was planned, with its events, in the same transaction. */
export type Apply = (approval_id: string) => Promise<void>;

/**
 * Plans what a proposal asks for. It writes nothing, so that a proposal can be checked by it, too.
 * @throws what refuses the change
 */
export type Change<T extends keyof ProposalPayloads> = (
  scope: ChangeScope,
  payload: ProposalPayloads[T],
) => Promise<Apply>;
