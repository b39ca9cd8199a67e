import { importing, type Recipe } from './recipe.ts';

/** Adds a handler to governance that writes members who join into the table of the recipe for tables. */
export const HANDLER: Recipe = {
  heading: 'Recipe: an event handler',
  writes: {
    'services/governance/newcomers/on-member-joined.ts': `
import { subscription } from '../../../lib/service/service-context.ts';
import { addNewcomer } from './newcomer.store.ts';

/** Records each member who joins, with the time of their first joining. */
export const onMemberJoined = () =>
  subscription({
    durable: 'governance-member-joined',
    handle: async ({ subject, data, time }, tx) => {
      if (subject !== undefined) await addNewcomer(tx, subject, data.member_id, new Date(time));
    },
  });
`,
    'services/governance/newcomers/newcomer.store.ts': `
import type { Db } from '../../../lib/db/db.ts';

/** Writes a newcomer unless they are already recorded. */
export async function addNewcomer(db: Db, association_id: string, member_id: string, joined_at: Date): Promise<void> {
  await db.run('INSERT INTO newcomers VALUES ($1, $2, $3) ON CONFLICT DO NOTHING', [
    association_id,
    member_id,
    joined_at,
  ]);
}
`,
    'test/integration/governance/on-member-joined.test.ts': `
import { expect } from 'chai';
import { eventually } from '../../harness/eventually.ts';
import { useGovernance } from '../../harness/governance.ts';

describe('governance: a member who joins', () => {
  const governance = useGovernance();

  it('is recorded as a newcomer once, even if they rejoin', async () => {
    const group = governance.found('president', 'member', 'member');
    const [, one, other] = group.members;
    for (const member of [one, one, other]) {
      const data = { member_id: member?.member_id, user_id: member?.user_id, role: 'member', rejoined: false };
      await governance.publish('membership', group.id, 'member.joined', data);
    }
    const kept = () =>
      governance.sql<{ member_id: string }>('SELECT member_id FROM newcomers WHERE association_id = $1', group.id);
    const handled = () => governance.sql("SELECT FROM inbox WHERE consumer = 'governance-member-joined'");
    await eventually(async () => expect(await handled()).to.have.length(3));
    expect((await kept()).map(({ member_id }) => member_id)).to.have.members([one?.member_id, other?.member_id]);
  });
});
`,
  },
  changes: {
    'lib/contracts/events.ts': [
      { find: /^} as const satisfies Record<`/m, put: "  'governance-member-joined': 'member.joined',\n$&" },
    ],
    'services/governance/governance.service.ts': [
      importing(`import { onMemberJoined } from './newcomers/on-member-joined.ts';`),
      { find: /subscriptions: (.*),$/m, put: 'subscriptions: [...$1, onMemberJoined()],' },
    ],
  },
  generates: [{ path: 'deploy/nats/permissions.conf', script: 'nats:permissions' }],
};
