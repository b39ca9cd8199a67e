/** A node of another team: calls public actions, and prints the answers. */
import { membership } from '@association-service/contracts';
import { brokerOptions, call, callFor, callOrRefusal, startNode } from '@association-service/contracts/moleculer';
import { readServiceSettings } from '@association-service/contracts/service';

const [association_id = '', user_id = ''] = process.argv.slice(2);
const settings = readServiceSettings('payroll');
const broker = brokerOptions(settings, settings.natsUrl);
const node = await startNode({ services: [], runtime: undefined, broker });
await node.broker.waitForServices('membership', 10_000);
const question = { association_id, permission: 'read' } as const;
const { terms, member } = await call(node.broker, membership.authorize, { ...question, user_id });
const { refusal } = await callOrRefusal(node.broker, membership.authorize, { ...question, user_id: 'outsider' });
const caller = { user_id, name: null, scopes: [] };
const page = { path: { association_id }, query: { limit: 1 }, body: {} };
const { data } = await callFor(node.broker, caller, membership.listMembers, page);
await node.stop();
const answers = { currency: terms.currency, role: member.role, refused: refusal?.code, members: data.length };
process.stdout.write(JSON.stringify(answers));
