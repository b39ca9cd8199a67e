import * as t from '../fields.ts';
import { exampleOf, exampleOfFields } from '../../schema/examples.ts';
import { chapter } from '../action.ts';
import { PROPOSAL_TYPES, type ProposalType } from '../approvals.ts';
import { approval, shapesBy } from './approvals.ts';
import { PROPOSAL_PAYLOADS } from './proposal-payloads.ts';

const EXAMPLE_TITLES: Record<ProposalType, string> = {
  role_change: 'Awa becomes treasurer',
  rules_change: 'A higher contribution from the next cycle on',
  expulsion: 'Awa is to leave us',
  closure: 'We close the association',
  motion: 'Where we meet',
  fine_waiver: 'Awa was ill',
};
const title = (type: ProposalType = 'role_change') =>
  t.text(1, t.TITLE_MAX_CODE_POINTS, 'For people.', EXAMPLE_TITLES[type]);

/** The fields that a proposal and the request for it share. */
const given = {
  type: t.enumeration(PROPOSAL_TYPES, 'What is proposed.', 'role_change'),
  title: title(),
  payload: t.describe(
    t.free(),
    'Exactly what is proposed; its members depend on `type`.',
    exampleOf(PROPOSAL_PAYLOADS.role_change, 'answer'),
  ),
};
const proposalFields = {
  id: t.ownId('0199e1c2-6600-7f40-8000-000000000042'),
  association_id: t.associationId(),
  ...given,
  approval,
};

const proposal = t.name(
  'Proposal',
  t.withShapes(
    proposalFields,
    shapesBy('type', PROPOSAL_PAYLOADS, 'Proposal', (type) => ({ ...proposalFields, title: title(type) })),
  ),
);
export type Proposal = t.Value<typeof proposal>;

const EXAMPLE_PROPOSAL = exampleOfFields(proposalFields, 'answer');
const { type: subject_type, id: subject_id, payload } = EXAMPLE_PROPOSAL;

export const propose = chapter('Governance')({
  name: 'governance.propose',
  summary: 'Propose a change of the association',
  description:
    'A change of a role or of the rules (from the next cycle on; `shortfall` immediately), an expulsion, the ' +
    'closure, a motion, or that a member need not pay the rest of a fine. The board votes on it. While the board is one ' +
    'person, their proposal is approved and executed before the answer, except a `fine_waiver`, which needs another vote.',
  permission: 'propose',
  refuses: [
    'amount_precision',
    'no_eligible_approver',
    'member_has_obligations',
    'president_cannot_leave',
    'association_full',
    'association_not_empty',
    'fine_not_due',
  ],
  path: t.inAssociation,
  body: given,
  body_shapes: shapesBy('type', PROPOSAL_PAYLOADS, 'Proposal', (type) => ({ title: title(type) })),
  status: 201,
  answer: proposal,
  examples: {
    answer: { ...EXAMPLE_PROPOSAL, approval: { ...EXAMPLE_PROPOSAL.approval, subject_type, subject_id, payload } },
  },
});
