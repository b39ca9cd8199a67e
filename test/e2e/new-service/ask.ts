/** A node of another team: calls public actions, and prints the answers. */
import { membership, problemCode } from '@association-service/contracts';
import { brokerOptions, call, callFor, startNode } from '@association-service/contracts/moleculer';
import { readServiceSettings } from '@association-service/contracts/service';

const [association_id = '', user_id = '', token = ''] = process.argv.slice(2);
const settings = readServiceSettings('payroll');
const broker = brokerOptions(settings, settings.natsUrl);
const node = await startNode({ services: [], runtime: undefined, broker });
await node.broker.waitForServices(['membership', 'gateway'], 10_000);
const question = { association_id, permission: 'read' } as const;
const { terms, member } = await callFor(node.broker, token, membership.authorize, { ...question, user_id });
const { members } = await call(node.broker, membership.roster, { association_id });
/** Returns why a call was refused. */
const refusalOf = (answer: Promise<unknown>): Promise<unknown> => answer.then(() => 'none', problemCode);
const refused = await Promise.all([
  // In its own name, for another user, and with a token that was changed.
  refusalOf(call(node.broker, membership.authorize, { ...question, user_id })),
  refusalOf(callFor(node.broker, token, membership.authorize, { ...question, user_id: 'outsider' })),
  refusalOf(callFor(node.broker, `${token}x`, membership.authorize, { ...question, user_id })),
]);
const page = { path: { association_id }, query: { limit: 1 }, body: {} };
const { data } = await callFor(node.broker, token, membership.listMembers, page);
await node.stop();
const answers = { currency: terms.currency, role: member.role, roster: members.length, listed: data.length, refused };
process.stdout.write(JSON.stringify(answers));
