/** Calls the routes of a service in its tests as a gateway does, with a double of the service that knows the members. */
import { createSecretKey, randomUUID } from 'node:crypto';
import { brokerOptions } from '../../../moleculer.config.ts';
import type { Answer, Caller, Command, Endpoint, EndpointInput } from '../../../lib/contracts/action.ts';
import type * as t from '../../../lib/contracts/fields.ts';
import { bindIdempotencyKey, freeIdempotencyKey } from '../../../lib/contracts/idempotency.ts';
import { authorize, board, roster, type Terms } from '../../../lib/contracts/membership/authorization.ts';
import { BOARD, PERMISSION_TABLE, type Role } from '../../../lib/contracts/permissions.ts';
import { problem } from '../../../lib/errors/problem.ts';
import { startNode, type RunningNode } from '../../../lib/node/node.ts';
import { exampleOf } from '../../../lib/schema/examples.ts';
import { signStatement } from '../../../lib/service/caller-statement.ts';
import type { CallMeta } from '../../../lib/service/call-context.ts';
import { implementCommand } from '../../../lib/service/implement.ts';
import type { RunningService } from './start-service.ts';

/** A CALLER_KEY for tests. */
export const TEST_CALLER_KEY = 'a caller key that only tests have';

/** A member of an association. */
export interface TestMember {
  user_id: string;
  role?: Role;
  member_id?: string;
}

/** An association as the double knows it. Tests change it as they like. */
export interface TestAssociation {
  members: TestMember[];
  terms?: Partial<Terms>;
}

/** The associations that exist, by id. */
export type TestAssociations = Map<string, TestAssociation>;

/** Starts a double of the service `membership`, which answers authorize, board and roster, and keeps no idempotency keys. */
export async function startTestMembership(natsUrl: string, associations: TestAssociations): Promise<RunningNode> {
  const keys = new Map<string, string>();
  const find = (association_id: string) => {
    const found = associations.get(association_id);
    if (found === undefined) throw problem('not_found');
    const terms = { ...exampleOf(authorize.answer, 'answer').terms, association_id, ...found.terms };
    return { terms, members: found.members.map(referenceOf) };
  };
  const actions = {
    authorize: implementTest(authorize, ({ association_id, user_id, permission, member_ids = [] }) => {
      const { terms, members } = find(association_id);
      const member = members.find((each) => each.user_id === user_id);
      if (member === undefined) throw problem('not_found');
      const { roles, write } = PERMISSION_TABLE[permission];
      if (!(roles as readonly Role[]).includes(member.role))
        throw problem('role_not_allowed', { required_roles: roles });
      if (write && terms.status === 'closed') throw problem('association_closed');
      const asked = members.filter(({ member_id }) => member_ids.includes(member_id));
      return { terms, member, members: asked.map((each) => ({ ...NAMED, ...each })) };
    }),
    roster: implementTest(roster, ({ association_id }) => find(association_id)),
    board: implementTest(board, ({ association_id }) => {
      const { terms, members } = find(association_id);
      return { terms, board: members.filter(({ role }) => BOARD.includes(role)) };
    }),
    bind_idempotency_key: implementTest(bindIdempotencyKey, ({ user_id, key, fingerprint }) => {
      const known = keys.get(`${user_id} ${key}`) ?? fingerprint;
      if (known !== fingerprint) throw problem('idempotency_key_reused');
      keys.set(`${user_id} ${key}`, fingerprint);
      return { ok: true };
    }),
    free_idempotency_key: implementTest(freeIdempotencyKey, ({ user_id, key }) => ({
      ok: keys.delete(`${user_id} ${key}`),
    })),
  };
  const settings = { nodeId: `membership.${randomUUID()}`, production: false, logLevel: 'warn' } as const;
  return startNode({
    services: [() => ({ name: 'membership', actions })],
    runtime: {},
    broker: brokerOptions(settings, natsUrl),
  });
}

/** What the answer about a named member has besides the reference. */
const NAMED = exampleOf(authorize.answer, 'answer').members[0]!;

function referenceOf(member: TestMember) {
  const { user_id, role = 'member', member_id = (member.member_id = randomUUID()) } = member;
  return { ...exampleOf(authorize.answer, 'answer').member, user_id, role, member_id };
}

/** Builds an action that believes its callers: in tests no gateway signs for this double. */
function implementTest<I extends t.Fields, A>(contract: Command<I, A>, answer: (input: t.Values<I>) => A) {
  const { kind, name, input: fields, answer: shape } = contract;
  return implementCommand({ kind, name, input: fields, answer: shape }, (input) =>
    Promise.resolve(answer(input) as never),
  );
}

/** The answer of a route. */
export interface TestAnswer<E> {
  status: number;
  headers: Record<string, string>;
  body: Answer<E>;
}

interface TestRequest {
  path?: object;
  query?: object;
  body?: object;
  idempotency_key?: string;
  if_match?: string;
}

/**
 * Calls a route of a service that was started with TEST_CALLER_KEY.
 * @param caller the user, as their access token describes them
 * @throws the refusal, whose code problemCode() returns; what the gateway refuses by itself is not refused here
 */
export async function request<E extends Endpoint>(
  { node }: Pick<RunningService, 'node'>,
  endpoint: E,
  caller: Pick<Caller, 'user_id'> & Partial<Caller>,
  { path = {}, query = {}, body = {}, idempotency_key, if_match }: TestRequest = {},
): Promise<TestAnswer<E>> {
  const [service = ''] = endpoint.name.split('.');
  const about = { action: endpoint.name, operation_id: randomUUID(), issued_at_ms: Date.now() };
  const statement = { name: null, scopes: [], ...caller, ...about };
  const sign = (key: string) => signStatement(createSecretKey(Buffer.from(key)), statement);
  const meta: CallMeta = { statements: { [service]: sign(TEST_CALLER_KEY), membership: sign(TEST_CALLER_KEY) } };
  if (idempotency_key !== undefined) {
    meta.idempotency = { key: idempotency_key, method: 'TEST', path: JSON.stringify([endpoint.name, path]) };
  }
  if (if_match !== undefined) meta.if_match = if_match === '*' ? '*' : [if_match];
  const input = { path, query, body } as EndpointInput<E>;
  const sent = node.broker.call<Answer<E>, object>(endpoint.name, input, { meta });
  const answer = await sent;
  // Moleculer gives the promise the context, in whose metadata an action sets the answer's status and headers.
  const { $statusCode, $responseHeaders = {} } = (sent as unknown as { ctx: { meta: CallMeta } }).ctx.meta;
  return { status: $statusCode ?? endpoint.status, headers: $responseHeaders, body: answer };
}
