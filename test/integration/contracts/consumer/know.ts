/** Another team's code that only knows events, errors, roles and actions. */
import {
  command,
  ERRORS,
  eventSchema,
  exampleEvent,
  fields as t,
  membership,
  PERMISSION_TABLE,
  walletAccount,
  type AnyEvent,
  type CommandInput,
  type EndpointInput,
} from '@association-service/contracts';

export function describe(event: AnyEvent): string {
  // The type of `data` follows from `type`.
  if (event.type === 'contribution.paid') return `${String(event.data.amount_minor)} ${event.data.currency}`;
  if (event.type === 'member.joined') return event.data.role;
  return event.type;
}

const question: CommandInput<typeof membership.authorize> = {
  association_id: '0199b2a4-6c00-7a10-8000-000000000001',
  user_id: 'user-awa',
  permission: 'contribute',
};
const page: EndpointInput<typeof membership.listMembers>['query'] = { limit: 10 };
const own = command({ name: 'payroll.count', input: {}, answer: t.object({ count: t.integer(0, 10) }) });

const lines = [
  describe(exampleEvent('contribution.paid')),
  describe(exampleEvent('member.joined', { data: { role: 'treasurer' } })),
  String(eventSchema('contribution.paid').$schema),
  String(ERRORS.insufficient_funds.status),
  PERMISSION_TABLE[question.permission].roles.join(),
  walletAccount('w'),
  `${own.name} ${String(page.limit)}`,
];
process.stdout.write(lines.join('\n'));
