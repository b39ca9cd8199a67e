/** Refusals that are false whatever the state: a fault that is taken for a refusal looks like one. */
import { inDatabase, type Deployment } from '../harness/cluster.ts';
import type { Json } from '../harness/http.ts';
import type { World } from './world.ts';

type Checked = Pick<World, 'written' | 'groups'>;

/** Members who have never left are not told that something in their association does not exist. */
export async function checkNotFound(
  site: Pick<Deployment, 'adminUrl'>,
  world: Checked,
  run: string,
): Promise<string[]> {
  const lasting = await inDatabase(site, 'membership', async (client) => {
    const sql = `SELECT association_id || ' ' || user_id AS key FROM members WHERE user_id LIKE $1 || '-%' AND tenure = 0`;
    const { rows } = await client.query<{ key: string }>(sql, [run]);
    return new Set(rows.map(({ key }) => key));
  });
  return falseNotFound(world, lasting);
}

/**
 * Requests name only what an answer has shown. Another member may have left, so that those which name one may be refused.
 * @param lasting `association user` of those who have never left
 */
export function falseNotFound({ written, groups }: Checked, lasting: ReadonlySet<string>): string[] {
  return written.flatMap(({ person, outcome: { request, status, text = '' } }) => {
    const group = groups.find(({ path }) => request.path.startsWith(path));
    if (status !== 404 || group === undefined || namesMember(request.body ?? {})) return [];
    // Others may have joined later than the request.
    const isFounding = group.members.some((member) => member.person === person);
    if (!isFounding || !lasting.has(`${group.id} ${person.client.user}`)) return [];
    return [`${request.method} ${request.path} of ${person.client.user}, a member, was refused: ${text}`];
  });
}

function namesMember(body: Json): boolean {
  return Object.keys({ ...body, ...(body.payload as Json | undefined) }).some((name) => name.endsWith('member_id'));
}
