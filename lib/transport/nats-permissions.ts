import { inboxPrefixOf } from '../config/server-urls.ts';
import {
  FURTHER_SERVICES,
  LOGIN_NAME,
  OPERATOR,
  SERVICES,
  SHARED_LOGIN,
  isTableService,
  type ServiceName,
  type TableService,
} from '../config/service-names.ts';
import { StartupError } from '../config/startup-error.ts';
import { CALLS } from '../contracts/calls.ts';
import {
  CONSUMERS,
  filterOf,
  KEEPER,
  PUBLISHERS,
  STREAM,
  type ALL_TYPES,
  type Durable,
  type EventType,
} from '../contracts/events.ts';
import { notificationSubject } from '../events/notifications.ts';

/** The subjects that one login may publish and subscribe. NATS refuses all others. */
export interface NatsPermissions {
  publish: string[];
  subscribe: string[];
}

/** The login of a further service of this project, or of one that another team runs. */
export interface OtherService {
  /** The login's name, with which the ids of its nodes must begin. */
  name: string;
  /** The services whose actions it calls. */
  calls?: ServiceName[];
  /** The services of this project and the logins of other teams that call its actions. */
  called_by?: string[];
  /** The durable consumers of its subscriptions, which begin with its name, and the type of event that each gets. */
  consumers?: Record<string, EventType | typeof ALL_TYPES>;
  /**
   * The JetStream streams with events of its own, which it may read. An operator creates them: a stream can record every
   * subject and republish its messages to every other, so a login that may create one can do what all others may.
   */
  streams?: string[];
  /** The subjects of its own events, such as `payroll.v1.>`. */
  publishes?: string[];
}

const INFO = '$JS.API.INFO';

/** What each login may do, by name. */
export function natsPermissions(others: readonly OtherService[] = []): Record<string, NatsPermissions> {
  const all = [
    ...SERVICES.map((name) => permissionsOf(name, others)),
    ...others.map((each) => otherPermissions(each, others)),
  ];
  return Object.fromEntries([...all, [OPERATOR, operatorPermissions()]]);
}

function permissionsOf(service: ServiceName, others: readonly OtherService[]): [string, NatsPermissions] {
  const callers = [
    ...SERVICES.filter((each) => (CALLS[each] as readonly ServiceName[]).includes(service)),
    ...others.filter(({ calls = [] }) => calls.includes(service)).map(({ name }) => name),
  ];
  const called = others.filter(({ called_by = [] }) => called_by.includes(service)).map(({ name }) => name);
  const node = nodePermissions(service, [...CALLS[service], ...called]);
  const types = (Object.keys(PUBLISHERS) as EventType[]).filter((type) => PUBLISHERS[type] === service);
  const durables = (Object.keys(CONSUMERS) as Durable[]).filter((durable) => durable.startsWith(`${service}-`));
  const notifications = notificationSubject(service);
  return [
    service,
    {
      publish: [
        ...node.publish,
        ...callers.flatMap(answersTo),
        // Without JetStream a service does not start.
        INFO,
        ...(isTableService(service) ? [...types.map(filterOf), ...eventStreamApi(service), notifications] : []),
        ...durables.flatMap((durable) => consumerApi(STREAM, durable)),
      ],
      subscribe: [...node.subscribe, ...(isTableService(service) ? [notifications] : [])],
    },
  ];
}

/** Also the login of routes between NATS servers, and the first tokens of this project's subjects. */
const RESERVED: readonly string[] = [...SERVICES, SHARED_LOGIN, OPERATOR, 'route', 'ledger', 'outbox'];

/** @throws StartupError unless another team's service may have this name */
export function requireFreeLogin(name: string): void {
  requireName(name, [...RESERVED, ...FURTHER_SERVICES]);
}

function requireName(name: string, reserved: readonly string[]): void {
  if (!LOGIN_NAME.test(name)) {
    throw new StartupError(`"${name}" cannot be the name of a service: use a-z, 0-9 and _, beginning with a letter.`);
  }
  if (reserved.includes(name)) {
    throw new StartupError(`"${name}" cannot be the name of a service: this project uses it at NATS.`);
  }
}

function otherPermissions(other: OtherService, others: readonly OtherService[]): [string, NatsPermissions] {
  const { name, calls = [], called_by = [], consumers = {}, streams = [], publishes = [] } = other;
  requireName(name, RESERVED);
  const durables = Object.keys(consumers);
  const foreign = durables.find((durable) => !durable.startsWith(`${name}-`));
  if (foreign !== undefined) throw new StartupError(`The consumer "${foreign}" must begin with "${name}-".`);
  const reserved = publishes.find((subject) => !subject.startsWith(`${name}.`));
  if (reserved !== undefined) throw new StartupError(`The subject "${reserved}" must begin with "${name}.".`);
  if (streams.includes(STREAM)) throw new StartupError(`${STREAM} is the stream of this project's services.`);
  const callers: string[] = [...SERVICES, ...others.map((each) => each.name)];
  const unknown = calls.find((each) => !SERVICES.includes(each)) ?? called_by.find((each) => !callers.includes(each));
  if (unknown !== undefined) throw new StartupError(`${name} names "${unknown}", which is no service.`);
  const called = others.filter((each) => each.called_by?.includes(name)).map((each) => each.name);
  const node = nodePermissions(name, [...calls, ...called]);
  // A subscriber reads the events that follow, to handle several in one transaction.
  const read = [...(durables.length > 0 ? [STREAM] : []), ...streams];
  return [
    name,
    {
      publish: [
        ...node.publish,
        ...called_by.flatMap(answersTo),
        INFO,
        ...publishes,
        ...read.flatMap((stream) => ['INFO', 'MSG.GET'].map((request) => `$JS.API.STREAM.${request}.${stream}`)),
        ...durables.flatMap((durable) => consumerApi(STREAM, durable)),
      ],
      subscribe: node.subscribe,
    },
  ];
}

/** Commands such as `npm run republish`: they find nodes, publish events and manage the stream, and call no action. */
function operatorPermissions(): NatsPermissions {
  const notifications = notificationSubject('*');
  const { publish, subscribe } = nodePermissions(OPERATOR, []);
  return {
    publish: [...publish, 'ledger.v1.>', '$JS.API.>', `$JS.ACK.${STREAM}.>`, notifications],
    subscribe: [...subscribe, notifications],
  };
}

/** Moleculer's subjects for the nodes of one login; those without a node are read by all nodes. */
function nodePermissions(login: string, calls: readonly string[]): NatsPermissions {
  const toAll = ['DISCOVER', 'INFO', 'HEARTBEAT', 'DISCONNECT'].map((packet) => `MOL.${packet}`);
  const toCalled = (service: string) => [`MOL.REQ.${service}.>`, `MOL.PING.${service}.>`];
  const toOwn = ['REQ', 'RES', 'EVENT', 'DISCOVER', 'INFO', 'PING', 'PONG'].map((packet) => `MOL.${packet}.${login}.>`);
  return {
    publish: [...toAll, 'MOL.DISCOVER.>', 'MOL.INFO.>', ...calls.flatMap(toCalled)],
    subscribe: [...toAll, 'MOL.PING', ...toOwn, `${inboxPrefixOf(login)}.>`],
  };
}

/** The subjects of the answers to a login that calls actions. */
function answersTo(caller: string): string[] {
  return [`MOL.RES.${caller}.>`, `MOL.PONG.${caller}.>`];
}

/** What a service with an outbox does with the event stream: read and remove events; one also creates and changes it. */
function eventStreamApi(service: TableService): string[] {
  const requests = [...(service === KEEPER ? ['CREATE', 'UPDATE'] : []), 'INFO', 'MSG.GET', 'MSG.DELETE'];
  return requests.map((request) => `$JS.API.STREAM.${request}.${STREAM}`);
}

function consumerApi(stream: string, durable: string): string[] {
  return [
    // Servers before 2.9 are asked by the second subject.
    `$JS.API.CONSUMER.CREATE.${stream}.${durable}.>`,
    `$JS.API.CONSUMER.DURABLE.CREATE.${stream}.${durable}`,
    `$JS.API.CONSUMER.INFO.${stream}.${durable}`,
    `$JS.API.CONSUMER.MSG.NEXT.${stream}.${durable}`,
    `$JS.ACK.${stream}.${durable}.>`,
  ];
}

/** Returns the variable of deploy/nats/start-nats.sh with a user's password. */
function passwordVariable(user: string): string {
  return `NATS_${user.toUpperCase().replace('-', '_')}_PASSWORD`;
}

/**
 * Returns deploy/nats/permissions.conf, which nats.conf includes.
 * @param doubled whether each login has a second user, `<login>-2`, while its password is replaced
 */
export function permissionsFile(others: readonly OtherService[] = [], doubled = false): string {
  const list = (subjects: readonly string[]) =>
    subjects.map((subject) => `\n        ${JSON.stringify(subject)}`).join('');
  const logins = Object.entries(natsPermissions(others)).flatMap(([login, permissions]) =>
    [login, ...(doubled ? [`${login}-2`] : [])].map((user) => [user, permissions] as const),
  );
  const users = logins.map(
    ([user, { publish, subscribe }]) => `  {
    user: ${user}, password: $${passwordVariable(user)}
    permissions: {
      publish: [${list(publish)}
      ]
      subscribe: [${list(subscribe)}
      ]
    }
  }
`,
  );
  return `# Written by \`npm run nats:permissions\` from lib/contracts and other-services.json: change those, not this file.
# start-nats.sh reads the passwords from files.
users: [
${users.join('')}]
`;
}
