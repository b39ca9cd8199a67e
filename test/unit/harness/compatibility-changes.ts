/** Made-up changes of the last release's contracts. */
import { expect } from 'chai';
import type { Contracts } from '../../harness/compatibility/contracts.ts';
import type { Rule } from '../../harness/compatibility/rules.ts';

/** A part of a document, of any form. */
type Part = Record<string, never> & { required: string[]; enum: string[] };

export const paths = ({ openapi }: Contracts) => openapi.paths as Record<string, Record<string, Part>>;
export const schema = ({ openapi }: Contracts, name: string) => component(openapi, name);
const event = ({ asyncapi }: Contracts, name: string) => component(asyncapi, name);
const operation = (now: Contracts, name: string) => {
  const [method = '', path = ''] = name.split(' ');
  return paths(now)[path]![method.toLowerCase()] as unknown as OpenOperation;
};
const command = ({ internal }: Contracts, name: string) =>
  internal.commands[name] as unknown as { input: Schema; answer: Schema };

interface Schema {
  properties: Record<string, Record<string, unknown>>;
  required: string[];
  enum: string[];
  additionalProperties?: boolean;
  discriminator: { mapping: Record<string, string> };
}

interface OpenOperation {
  operationId: string;
  security?: object[];
  parameters: { name?: string; in?: string; $ref?: string; required?: boolean; schema?: Record<string, unknown> }[];
  requestBody?: { required: boolean; content: Record<string, object> };
  responses: Record<string, { headers: Record<string, object>; content: Record<string, { schema: object }> }>;
}

function component(document: object, name: string): Schema {
  return (document as { components: { schemas: Record<string, Schema> } }).components.schemas[name]!;
}

const without = (list: string[], value: string): string[] => list.filter((each) => each !== value);
export const member = (of: Schema, name: string): Record<string, unknown> => of.properties[name]!;
const CREATE = 'CreateAssociationRequest';
const LIST = 'GET /associations';
const FOUND = 'POST /associations';
export const SETTLE = 'POST /associations/{association_id}/meetings/{meeting_id}/settle';

/** What breaks, the rule, and the change. */
export const BREAKING: [string, Rule, (now: Contracts) => void][] = [
  ['an operation is removed', 'operation', (now) => delete paths(now)['/wallets/my']],
  ['an operation gets another method', 'operation', (now) => rename(paths(now)['/me/pin']!, 'put', 'post')],
  ['a path is renamed', 'operation', (now) => rename(paths(now), '/wallets/my', '/wallets/mine')],
  ['the base of all paths changes', 'operation', (now) => (now.openapi.servers = [{ url: '/v2' }])],
  ['an operationId is renamed', 'operation', (now) => (operation(now, FOUND).operationId = 'foundAssociation')],
  ['an open operation needs a token', 'operation', (now) => delete operation(now, 'GET /keys/pin').security],
  ['a role may no longer call it', 'operation', (now) => (now.internal.operations[SETTLE]!.roles = ['president'])],
  ['an operation needs a scope', 'operation', (now) => (now.internal.operations[SETTLE]!.scope = 'meetings:settle')],
  ['the success status changes', 'operation', (now) => rename(operation(now, FOUND).responses, '201', '200')],
  [
    'a further success status',
    'operation',
    (now) => (operation(now, LIST).responses['202'] = { headers: {}, content: {} }),
  ],
  ['304 is removed', 'operation', (now) => delete operation(now, 'GET /wallets/{wallet_id}').responses['304']],

  ['a parameter is removed', 'request', (now) => void operation(now, LIST).parameters.shift()],
  ['a shared header is no longer read', 'request', (now) => void operation(now, FOUND).parameters.shift()],
  [
    'a new required parameter',
    'request',
    (now) => void operation(now, LIST).parameters.push({ name: 'x', in: 'query', required: true, schema: {} }),
  ],
  ['a parameter becomes required', 'request', (now) => (operation(now, LIST).parameters[2]!.required = true)],
  ["a parameter's default changes", 'request', (now) => (operation(now, LIST).parameters[0]!.schema!.default = 20)],
  ["a parameter's maximum is lowered", 'request', (now) => (operation(now, LIST).parameters[0]!.schema!.maximum = 100)],
  ['a field is removed', 'request', (now) => delete schema(now, CREATE).properties.description],
  ['a new required field', 'request', (now) => addMember(schema(now, CREATE), 'x', true)],
  ['a field becomes required', 'request', (now) => void schema(now, CREATE).required.push('description')],
  ['a default changes', 'request', (now) => (member(schema(now, CREATE), 'hands').default = 2)],
  ['a default beside a reference changes', 'request', (now) => (member(schema(now, CREATE), 'rules').default = {})],
  ['a default appears', 'request', (now) => (member(schema(now, CREATE), 'description').default = 'None')],
  ['a maximum length is lowered', 'request', (now) => (member(schema(now, CREATE), 'name').maxLength = 80)],
  ['a minimum length appears', 'request', (now) => (member(schema(now, CREATE), 'description').minLength = 1)],
  ['a minimum is raised', 'request', (now) => (member(schema(now, CREATE), 'max_members').minimum = 3)],
  ['a pattern changes', 'request', (now) => (member(schema(now, CREATE), 'currency').pattern = '^XAF$')],
  ['a format is required', 'request', (now) => (member(schema(now, CREATE), 'name').format = 'uuid')],
  ['a type changes', 'request', (now) => (member(schema(now, CREATE), 'hands').type = 'string')],
  [
    'a number must be an integer',
    'request',
    (now) => (member(schema(now, CREATE), 'contribution_amount').type = 'integer'),
  ],
  ['a value is refused', 'request', (now) => void schema(now, `${CREATE}Type`).enum.pop()],
  ['only some texts are accepted', 'request', (now) => (member(schema(now, CREATE), 'description').enum = ['None'])],
  [
    'a form of the body is refused',
    'request',
    (now) => delete schema(now, 'ProposeRequest').discriminator.mapping.motion,
  ],
  [
    'a media type is refused',
    'request',
    (now) => rename(operation(now, FOUND).requestBody!.content, 'application/json', 'application/cbor'),
  ],
  ['a body becomes required', 'request', (now) => (operation(now, SETTLE).requestBody!.required = true)],
  ['at least one member is required', 'request', (now) => Object.assign(schema(now, CREATE), { minProperties: 6 })],

  ['a member of an answer is removed', 'answer', (now) => delete schema(now, 'Member').properties.user_id],
  [
    'a member of an answer is renamed',
    'answer',
    (now) => rename(schema(now, 'Wallet').properties, 'balance', 'amount'),
  ],
  ['the type of a member changes', 'answer', (now) => (member(schema(now, 'Wallet'), 'balance').type = 'string')],
  ['the format of a member changes', 'answer', (now) => (member(schema(now, 'Wallet'), 'created_at').format = 'date')],
  ['the pattern of a member changes', 'answer', (now) => delete member(schema(now, 'Wallet'), 'currency').pattern],
  ['a number may be smaller', 'answer', (now) => (member(schema(now, 'Member'), 'hands').minimum = 0)],
  [
    'a header of an answer is removed',
    'answer',
    (now) => delete operation(now, FOUND).responses['201']!.headers.Location,
  ],
  [
    'a media type of an answer is removed',
    'answer',
    (now) =>
      delete operation(now, 'GET /associations/{association_id}/statement').responses['200']!.content['text/csv'],
  ],
  ['the lines of an export change', 'answer', (now) => delete schema(now, 'Transfer').properties.id],
  ['an enumeration becomes free text', 'answer', (now) => Reflect.deleteProperty(schema(now, 'CycleStatus'), 'enum')],
  [
    'a member may be absent',
    'present',
    (now) => (schema(now, 'Wallet').required = without(schema(now, 'Wallet').required, 'id')),
  ],
  ['a member may be null', 'present', (now) => (member(schema(now, 'Wallet'), 'balance').type = ['number', 'null'])],
  [
    'a referenced member may be null',
    'present',
    (now) =>
      (schema(now, 'Member').properties.role = {
        anyOf: [{ $ref: '#/components/schemas/MemberRole' }, { type: 'null' }],
      }),
  ],
  ['a value is renamed', 'value', (now) => (schema(now, 'CycleStatus').enum[0] = 'renamed')],

  ['a code is no longer answered', 'code', (now) => delete operation(now, SETTLE).responses['404']],
  ['a code is renamed', 'code', (now) => (member(schema(now, 'NotFoundProblem'), 'code').const = 'missing')],
  ['a code gets another status', 'code', (now) => (now.internal.errors.method_not_allowed = 400)],
  ['a code of several is removed', 'code', (now) => removeCode(now, 'meeting_underfunded')],

  [
    'a type of event is removed',
    'event',
    (now) => delete (now.asyncapi.channels as Record<string, object>)['cycle.started'],
  ],
  [
    'a subject changes',
    'event',
    (now) => ((now.asyncapi.channels as Record<string, { address: string }>)['cycle.started']!.address = 'ledger.v2'),
  ],
  ['another service publishes it', 'event', (now) => setSource(now, 'cycle.started', '/association-service/treasury')],
  ['the stream is renamed', 'event', (now) => (now.internal.stream = 'EVENTS')],
  [
    'a durable consumer is renamed',
    'event',
    (now) => rename(now.internal.consumers, 'membership-cycle-completed', 'membership-cycles'),
  ],
  ['a member of an event is removed', 'answer', (now) => delete event(now, 'CycleStartedData').properties.rounds],
  ['a header of events is removed', 'answer', (now) => delete event(now, 'EventHeaders').properties['Nats-Msg-Id']],
  [
    'a member of an event may be null',
    'present',
    (now) => (member(event(now, 'CycleStartedData'), 'rounds').type = ['integer', 'null']),
  ],
  [
    'a version of CloudEvents is added',
    'answer',
    (now) => (event(now, 'CycleStartedEvent').properties.specversion = { type: 'string', enum: ['1.0', '2.0'] }),
  ],

  ['a command is removed', 'command', (now) => delete now.internal.commands['treasury.transfer']],
  [
    'a command is new',
    'command',
    (now) => (now.internal.commands['treasury.refund'] = command(now, 'treasury.health') as never),
  ],
  [
    'an action of an operation is renamed',
    'command',
    (now) => (now.internal.operations[SETTLE]!.action = 'contribution.close'),
  ],
  [
    'a new optional input, refused by earlier processes',
    'command',
    (now) => addMember(command(now, 'membership.roster').input, 'x', false),
  ],
  [
    'an input is removed, which earlier processes send',
    'command',
    (now) => delete command(now, 'membership.roster').input.properties.association_id,
  ],
  [
    'an input accepts more, which earlier processes refuse',
    'command',
    (now) => void component(now.internal, 'TreasuryExecuteApprovalInputDecision').enum.push('postponed'),
  ],
  [
    'an answer lacks a member',
    'command',
    (now) => delete answerOf(now, 'contribution.lock_association').properties.remains,
  ],
  [
    'an answer has a new member that earlier ones lack',
    'command',
    (now) => addMember(answerOf(now, 'contribution.lock_association'), 'x', true),
  ],
  [
    'an answer has a new value',
    'command',
    (now) => void component(now.internal, 'ContributionLockAssociationAnswerRemains').enum.push('unknown'),
  ],
];

/** Changes that docs/versions.md allows. */
export const ALLOWED: [string, (now: Contracts) => void][] = [
  ['a new operation', (now) => (paths(now)['/new'] = { get: operation(now, LIST) as never })],
  [
    'a new optional parameter',
    (now) => void operation(now, LIST).parameters.push({ name: 'x', in: 'query', schema: { type: 'string' } }),
  ],
  ['a new optional field, with a default', (now) => addMember(schema(now, CREATE), 'x', false)],
  ['a new value in a request', (now) => void schema(now, `${CREATE}Type`).enum.push('club')],
  [
    'wider limits in a request',
    (now) => Object.assign(member(schema(now, CREATE), 'max_members'), { minimum: 1, maximum: 20_000 }),
  ],
  ['no limit in a request', (now) => rename(member(schema(now, CREATE), 'max_members'), 'maximum', 'format', 'int64')],
  ['an integer may be any number', (now) => (member(schema(now, CREATE), 'hands').type = 'number')],
  ['a field becomes optional, with a default', (now) => makeOptional(schema(now, CREATE), 'currency', 'XAF')],
  ['null is accepted', (now) => (member(schema(now, CREATE), 'hands').type = ['integer', 'null'])],
  [
    'a new form of a body',
    (now) => (schema(now, 'ProposeRequest').discriminator.mapping.party = '#/components/schemas/MotionProposalInput'),
  ],
  ['a new member of an answer', (now) => addMember(schema(now, 'Wallet'), 'x', true)],
  ['a new member of a problem', (now) => addMember(schema(now, 'NotFoundProblem'), 'x', false)],
  ['a new value in an answer', (now) => void schema(now, 'CycleStatus').enum.push('paused')],
  [
    'longer texts and larger numbers in an answer',
    (now) => Object.assign(member(schema(now, 'Member'), 'hands'), { maximum: 50 }),
  ],
  ['a member is always present', (now) => void event(now, 'CycleStartedEvent').required.push('subject')],
  ['a member is never null', (now) => (member(schema(now, 'Member'), 'display_name').type = 'string')],
  ['a new header', (now) => (operation(now, LIST).responses['200']!.headers.Deprecation = {})],
  [
    'a new media type of an answer',
    (now) => (operation(now, LIST).responses['200']!.content['text/csv'] = { schema: { type: 'string' } }),
  ],
  ['a new code', (now) => addCode(now, 'insufficient_funds')],
  ['a second code where there was one', (now) => addSecondCode(now)],
  ['other texts', (now) => (member(schema(now, 'NotFoundProblem'), 'code').description = 'Another text.')],
  ['another name of a schema', (now) => renameSchema(now, 'Wallet', 'Purse')],
  ['a new type of event', (now) => copy(now.asyncapi.channels as object, 'cycle.started', 'cycle.paused')],
  ['a new member of an event', (now) => addMember(event(now, 'CycleStartedData'), 'x', true)],
  ['a new durable consumer', (now) => (now.internal.consumers['treasury-cycle-completed'] = 'cycle.completed')],
  [
    'a new optional member of the answer of a command',
    (now) => addMember(answerOf(now, 'contribution.lock_association'), 'x', false),
  ],
  ['a command of a new service', (now) => copy(now.internal.commands, 'treasury.health', 'lending.health')],
];

function rename(object: object, from: string, to: string, value?: unknown): void {
  const all = object as Record<string, unknown>;
  all[to] = value ?? all[from];
  Reflect.deleteProperty(all, from);
}

function copy(object: object, from: string, to: string): void {
  const all = object as Record<string, unknown>;
  all[to] = all[from];
}

function addMember(to: Schema, name: string, isRequired: boolean): void {
  to.properties[name] = isRequired ? { type: 'string' } : { type: 'string', default: 'x' };
  if (isRequired) to.required = [...to.required, name];
}

function makeOptional(of: Schema, name: string, fallback: unknown): void {
  of.required = without(of.required, name);
  member(of, name).default = fallback;
}

function renameSchema(now: Contracts, from: string, to: string): void {
  const ref = (name: string) => `"#/components/schemas/${name}"`;
  now.openapi = JSON.parse(JSON.stringify(now.openapi).replaceAll(ref(from), ref(to))) as Contracts['openapi'];
  rename((now.openapi.components as { schemas: object }).schemas, from, to);
}

function setSource({ asyncapi }: Contracts, type: string, source: string): void {
  const { messages } = asyncapi.components as {
    messages: Record<string, { examples: { payload: { source: string } }[] }>;
  };
  messages[type]!.examples[0]!.payload.source = source;
}

function answerOf({ internal }: Contracts, name: string): Schema {
  const { answer } = command({ internal } as Contracts, name) as unknown as { answer: { $ref: string } };
  return component(internal, answer.$ref.split('/').at(-1)!);
}

const PROBLEM = 'application/problem+json';

/** The codes of the 409 of a settlement, of which there are several. */
function conflicts(now: Contracts): Record<string, string> {
  return (operation(now, SETTLE).responses['409']!.content[PROBLEM]!.schema as Schema).discriminator.mapping;
}

function removeCode(now: Contracts, code: string): void {
  expect(conflicts(now)).to.have.property(code);
  Reflect.deleteProperty(conflicts(now), code);
}

function addCode(now: Contracts, code: string): void {
  expect(conflicts(now)).to.not.have.property(code);
  conflicts(now)[code] = '#/components/schemas/InsufficientFundsProblem';
}

function addSecondCode(now: Contracts): void {
  const mapping = { not_found: '#/components/schemas/NotFoundProblem', gone: '#/components/schemas/NotFoundProblem' };
  const schemas = Object.values(mapping).map(($ref) => ({ $ref }));
  const several = { oneOf: schemas, discriminator: { propertyName: 'code', mapping } };
  operation(now, SETTLE).responses['404'] = {
    headers: headersOfProblems(now),
    content: { [PROBLEM]: { schema: several } },
  };
}

function headersOfProblems({ openapi }: Contracts): Record<string, object> {
  return (openapi.components as { responses: Record<string, { headers: Record<string, object> }> }).responses.NotFound!
    .headers;
}
