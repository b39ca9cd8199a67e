import { importing, type Recipe } from './recipe.ts';

/** Adds an endpoint to governance that lists the votes of an association. */
export const ENDPOINT: Recipe = {
  heading: 'Recipe: a list endpoint',
  writes: {
    'services/governance/approvals/list-votes.ts': `
import { listVotes } from '../../../lib/contracts/governance.ts';
import { pageThrough } from '../../../lib/paging/cursors.ts';
import { authorizeCaller } from '../../../lib/service/authorize-caller.ts';
import { implement } from '../../../lib/service/implement.ts';
import type { GovernanceDeps } from '../deps.ts';
import { listVotesNewestFirst } from './approval.store.ts';

export const listVotesAction = ({ reads, cursors }: GovernanceDeps) =>
  implement(listVotes, async ({ path: { association_id }, query }, caller, ctx) => {
    await authorizeCaller(ctx, caller, association_id, 'read');
    return pageThrough(
      cursors,
      ['votes', association_id].join(' '),
      query,
      (after, limit) => listVotesNewestFirst(reads, association_id, after, limit),
      (row) => [row.voted_at.toISOString(), row.approval_id, row.member_id],
      ({ approval_id, member_id, decision, voted_at }) => ({
        approval_id,
        member_id,
        decision,
        voted_at: voted_at.toISOString(),
      }),
    );
  });
`,
    'test/integration/governance/list-votes.test.ts': `
import { expect } from 'chai';
import { listVotes } from '../../../lib/contracts/governance.ts';
import { useGovernance } from '../../harness/governance.ts';
import { refusalOf } from '../../harness/refusal.ts';

describe('governance: the votes of an association', () => {
  const governance = useGovernance();

  it('are listed newest first, page by page, to its members', async () => {
    const group = governance.found('president', 'treasurer', 'secretary', 'member');
    const approval = await governance.request(group);
    await governance.reject(1, approval);
    await governance.reject(2, approval);
    const path = { association_id: group.id };
    const first = await governance.by(3, listVotes, { path, query: { limit: 1 } });
    const second = await governance.by(3, listVotes, { path, query: { limit: 1, cursor: first.next_cursor ?? '' } });
    const voters = [...first.data, ...second.data].map(({ member_id }) => member_id);
    expect(voters).to.deep.equal([group.members[2]?.member_id, group.members[1]?.member_id]);
    expect(second.next_cursor).to.equal(null);
    expect(await refusalOf(governance.by(9, listVotes, { path, query: { limit: 1 } }))).to.include({ code: 'not_found' });
  });
});
`,
  },
  changes: {
    'lib/contracts/governance/approvals.ts': [
      {
        find: /^export const getApproval = /m,
        put: `const listedVote = t.record('ListedVote', {
  approval_id: t.approvalId('The approval that they voted on.'),
  member_id: t.memberId('The member who voted.', t.EXAMPLE.president_id),
  decision: t.enumeration(VOTE_DECISIONS, 'Their vote.', 'approve'),
  voted_at: t.at('When they voted.'),
});

export const listVotes = endpoint({
  name: 'governance.list_votes',
  summary: 'List votes',
  description: 'Newest first.',
  permission: 'read',
  path: t.inAssociation,
  query: t.pageQuery,
  answer: t.pageOf(listedVote),
});

$&`,
      },
    ],
    'services/governance/approvals/approval.store.ts': [
      {
        find: /^\/\*\* Which approvals a list shows\. \*\//m,
        put: `/** The votes of an association, newest first, those older than \`after\`. */
export function listVotesNewestFirst(
  db: Db,
  association_id: string,
  after: Position | null,
  limit: number,
): Promise<VoteRow[]> {
  return db.rows(
    \`SELECT v.* FROM votes v JOIN approvals a ON a.id = v.approval_id
     WHERE a.association_id = $$1
       AND ($$2::timestamptz IS NULL OR (v.voted_at, v.approval_id, v.member_id) < ($$2, $$3::uuid, $$4::uuid))
     ORDER BY v.voted_at DESC, v.approval_id DESC, v.member_id DESC LIMIT $$5\`,
    [association_id, ...(after ?? [null, null, null]), limit],
  );
}

$&`,
      },
    ],
    'services/governance/governance.service.ts': [
      importing(`import { listVotesAction } from './approvals/list-votes.ts';`),
      { find: 'list_approvals:', put: 'list_votes: listVotesAction(deps),\n$&' },
    ],
    'services/gateway/routes.ts': [
      {
        find: /^.*governance\.listApprovals\),$/m,
        put: "$&\n  route('GET', `$${ASSOCIATION}/governance/votes`, governance.listVotes),",
      },
    ],
    'test/abuse/matrix/expected.ts': [{ find: /^listApprovals( .*)$/m, put: '$&\nlistVotes    $1' }],
  },
  generates: [{ path: 'clients/typescript/src/schema.ts', script: 'client:generate' }],
};
