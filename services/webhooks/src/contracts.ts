/** What the service offers over HTTP, and what it calls. */
import {
  ALL_TYPES,
  chapter,
  command,
  EVENT_SCHEMAS,
  fields as t,
  nothing,
  route,
} from '@association-service/contracts';
import type { DeclaredRoute, Endpoint, ServiceApi } from '@association-service/contracts';
import { HOST_MAX_CHARACTERS, URL_MAX_CODE_POINTS } from './addresses/url.rules.ts';
import { WEBHOOK_ERRORS } from './errors.ts';
import {
  ATTEMPTS_KEPT_MAX,
  FAILING_MAX_MS,
  OLD_SECRET_SIGNS_FOR_MS,
  REPLAYS_COUNT_FOR_MS,
  REPLAYS_MAX,
  RETENTION_MS,
} from './limits.rules.ts';
import { SEND_ERRORS } from './sending/outcome.rules.ts';
import { DELIVERY_STATUSES, DISABLED_REASONS, WEBHOOK_STATUSES } from './states.rules.ts';
import { DAY_MS, HOUR_MS } from './times.rules.ts';

/** The service's name: its login at NATS, and the beginning of the names of its actions and consumers. */
export const NAME = 'webhooks';

/** The scope for endpoints that get the events of all associations. */
export const MANAGE_SCOPE = 'webhooks:manage';

/** Who may manage the endpoints of an association, and see them: their URLs can be as secret as a password. */
export const MANAGING_ROLES = ['president', 'secretary'] as const;

/** The event of a ping. It is sent whatever types the endpoint has chosen. */
export const PING_TYPE = 'webhook.ping';

/** What an endpoint may choose. */
export const CHOICES = [ALL_TYPES, ...Object.keys(EVENT_SCHEMAS)];

const TAG = 'Webhooks';
const DESCRIPTION_MAX_CODE_POINTS = 500;
/** Far longer than secrets and types of events are. */
const SHORT_MAX_LENGTH = 200;

/** Limits as texts say them. */
const FAILING_DAYS = String(FAILING_MAX_MS / DAY_MS);
const KEPT_DAYS = String(RETENTION_MS / DAY_MS);
const REPLAYS_HOURS = String(REPLAYS_COUNT_FOR_MS / HOUR_MS);
const OLD_SECRET_HOURS = String(OLD_SECRET_SIGNS_FOR_MS / HOUR_MS);

const EXAMPLE = {
  webhook_id: '019a0c10-2c00-7b50-8000-000000000101',
  delivery_id: '019a0c14-7800-7b50-8000-000000000111',
  event_id: '019a0c14-7600-7e30-8000-000000000121',
  replay_id: '019a0c20-0000-7b50-8000-000000000131',
  url: 'https://books.example.com/hooks/savings',
  secret: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD4GZ6wFdNLHE=',
} as const;

const webhookId = () => t.id('The endpoint.', EXAMPLE.webhook_id);
const deliveryId = () => t.id('The delivery.', EXAMPLE.delivery_id);
const eventType = () => t.opaque(SHORT_MAX_LENGTH, 'The type of the event.', 'contribution.paid');
const secret = () =>
  t.opaque(
    SHORT_MAX_LENGTH,
    'The key of the signatures, which the receiver needs. Only this answer contains it.',
    EXAMPLE.secret,
  );

const given = {
  url: t.text(
    1,
    URL_MAX_CODE_POINTS,
    'Where events are sent: `https`, and a host with public addresses only. No user name, password or fragment.',
    EXAMPLE.url,
  ),
  types: t.boundedList(
    t.enumeration(CHOICES),
    1,
    CHOICES.length,
    'The types of events that are sent; `*` is all types, also those of later releases.',
    ['contribution.paid', 'meeting.settled'],
  ),
  description: t.text(0, DESCRIPTION_MAX_CODE_POINTS, 'What the endpoint is for.', 'Our accounting'),
};
const status = t.enumeration(WEBHOOK_STATUSES, 'Nothing is sent to a `disabled` endpoint.', 'enabled');

const webhookFields = {
  id: t.ownId(EXAMPLE.webhook_id),
  association_id: t.nullable(
    t.id('The association; null for an endpoint of all associations.', t.EXAMPLE.association_id),
  ),
  ...given,
  description: t.nullable(given.description),
  status,
  disabled_reason: t.nullable(
    t.enumeration(
      DISABLED_REASONS,
      '`request`: by a PATCH. `gone`: it has answered 410. `failing`: it had nothing but failures for ' +
        `${FAILING_DAYS} days. Null while enabled.`,
    ),
    null,
  ),
  disabled_at: t.nullable(t.at('When it was disabled; null while it is enabled.'), null),
  created_at: t.at('When it was created.'),
};
export const webhook = t.record('Webhook', webhookFields);

export const attempt = t.record('WebhookAttempt', {
  at: t.at('When the request began.', '2026-10-05T18:30:01.250Z'),
  status_code: t.nullable(t.integer(0, 999, 'The HTTP status of the answer; null if there was none.', 503)),
  error: t.nullable(t.enumeration(SEND_ERRORS, 'Why there was no answer; null if there was one.'), null),
  duration_ms: t.integer(0, t.UNBOUNDED, 'How long the request took.', 84),
});

export const delivery = t.record('WebhookDelivery', {
  id: t.ownId(EXAMPLE.delivery_id),
  webhook_id: webhookId(),
  event_id: t.id('The event, and the header `webhook-id` of each attempt.', EXAMPLE.event_id),
  type: eventType(),
  replay_id: t.nullable(t.id('The replay that made it; null if the event did.', EXAMPLE.replay_id), null),
  status: t.enumeration(
    DELIVERY_STATUSES,
    '`pending`: it is sent, or will be sent again. `delivered`: an attempt was answered with 2xx. `failed`: it is given up.',
    'pending',
  ),
  attempts: t.list(attempt, `The latest ${String(ATTEMPTS_KEPT_MAX)} attempts, the oldest first.`),
  next_attempt_at: t.nullable(t.at('When it is sent next; null if it is not.', '2026-10-05T18:30:06.400Z')),
  created_at: t.at('When it was made.', '2026-10-05T18:30:01.200Z'),
});

/** Whose endpoints these are: those of one association, or those for all. */
interface Owner {
  /** The beginning of the names of the actions' objects. */
  prefix: string;
  path: t.Fields;
  access: Pick<Endpoint, 'roles' | 'scope'>;
  /** Ends summaries. */
  of: string;
  gets: string;
  refuses: Endpoint['refuses'];
}

const endpoint = chapter<keyof typeof WEBHOOK_ERRORS>(TAG);

const named = ({ access, prefix }: Owner, verb: string, noun: string) => ({
  ...access,
  name: `${NAME}.${verb}_${prefix}${noun}`,
});

/** What one does with endpoints. */
function managing(owner: Owner) {
  const { path, of, gets, refuses = [] } = owner;
  const one = { ...path, webhook_id: webhookId() };
  return {
    create: endpoint({
      ...named(owner, 'create', 'webhook'),
      summary: `Add an endpoint ${of}`,
      description:
        `From now on, ${gets} are sent to the URL, signed as in the [Standard Webhooks](https://www.standardwebhooks.com) ` +
        'specification with `secret`, which only this answer contains. The body of each request is the event as in ' +
        '`/asyncapi.json`. See the page *Webhooks* of the documentation for what a receiver does.',
      refuses: [...refuses, 'webhook_limit'],
      path,
      body: { url: given.url, types: t.optional(given.types), description: t.optional(given.description) },
      status: 201,
      answer: t.record('NewWebhook', { ...webhookFields, secret: secret() }),
    }),
    list: endpoint({
      ...named(owner, 'list', 'webhooks'),
      summary: `List the endpoints ${of}`,
      description: 'Newest first, without their secrets.',
      path,
      query: t.pageQuery,
      answer: t.pageOf(webhook),
    }),
    get: endpoint({ ...named(owner, 'get', 'webhook'), summary: `Show an endpoint ${of}`, path: one, answer: webhook }),
    change: endpoint({
      ...named(owner, 'change', 'webhook'),
      summary: `Change an endpoint ${of}`,
      description:
        'Disabling it gives up what it has not got yet: those deliveries become `failed`. Enabling it lets the events that follow ' +
        'through; a replay brings those in between.',
      refuses,
      path: one,
      body: t.allOptional({ ...given, status }),
      body_min_members: 1,
      answer: webhook,
    }),
    remove: endpoint({
      ...named(owner, 'delete', 'webhook'),
      summary: `Delete an endpoint ${of}`,
      description: 'Nothing more is sent to it, and its deliveries are deleted. A request that is running ends.',
      refuses,
      path: one,
      status: 204,
      answer: nothing,
    }),
    rotateSecret: endpoint({
      ...named(owner, 'rotate', 'webhook_secret'),
      summary: `Replace the secret of an endpoint ${of}`,
      description: `For ${OLD_SECRET_HOURS} hours, requests have a signature with each of both secrets, so that the receiver can be changed meanwhile.`,
      refuses: [...refuses, 'webhook_secret_limit'],
      path: one,
      answer: t.record('NewWebhookSecret', {
        id: t.ownId(EXAMPLE.webhook_id),
        secret: secret(),
        old_secret_signs_until: t.at('Until then, the replaced secret signs too.', '2026-10-06T18:30:00.000Z'),
      }),
    }),
  };
}

/** What one does with what is sent to them. */
function sending(owner: Owner) {
  const { path, of, refuses = [] } = owner;
  const one = { ...path, webhook_id: webhookId() };
  const oneDelivery = { ...one, delivery_id: deliveryId() };
  return {
    listDeliveries: endpoint({
      ...named(owner, 'list', 'webhook_deliveries'),
      summary: `List the deliveries to an endpoint ${of}`,
      description: `Newest first. A delivery is one event on its way to one endpoint. Those that have ended are listed for ${KEPT_DAYS} days.`,
      path: one,
      query: {
        status: t.optional(t.enumeration(DELIVERY_STATUSES, 'Only deliveries with this status.', 'failed')),
        ...t.pageQuery,
      },
      answer: t.pageOf(delivery),
    }),
    retry: endpoint({
      ...named(owner, 'retry', 'webhook_delivery'),
      summary: `Send a delivery to an endpoint ${of} again`,
      description: 'It is sent at once, whatever its status was. If that fails, it is tried again as if it were new.',
      refuses: [...refuses, 'webhook_disabled'],
      path: oneDelivery,
      answer: delivery,
    }),
    replay: endpoint({
      ...named(owner, 'replay', 'webhook_events'),
      summary: `Send past events to an endpoint ${of} again`,
      description:
        'For each event of the time range that the endpoint has chosen, a new delivery is made in the background, the oldest first. ' +
        `Events are stored for ${KEPT_DAYS} days, also those from before the endpoint was added. ` +
        `There may be ${String(REPLAYS_MAX)} replays to an endpoint within ${REPLAYS_HOURS} hours. ` +
        'The header `webhook-id` is that of the event, so that a receiver recognises what it has got before.',
      refuses: [...refuses, 'webhook_disabled', 'webhook_replay_running', 'webhook_replay_limit'],
      path: one,
      body: {
        from: t.instant('The earliest time of the events.', '2026-10-01T00:00:00.000Z'),
        to: t.optional(
          t.instant('Their times are before this one, which is now at the latest.', '2026-10-05T00:00:00.000Z'),
        ),
      },
      answer: t.record('WebhookReplay', {
        id: t.ownId(EXAMPLE.replay_id),
        webhook_id: webhookId(),
        from: t.at('The earliest time of the events.', '2026-10-01T00:00:00.000Z'),
        to: t.at('Their times are before this one.', '2026-10-05T00:00:00.000Z'),
        created_at: t.at('When it began.'),
      }),
    }),
    ping: endpoint({
      ...named(owner, 'ping', 'webhook'),
      summary: `Send a test event to an endpoint ${of}`,
      description: `Its type is \`${PING_TYPE}\`, and its data \`{"webhook_id": …}\`. What came of it shows in the list of deliveries.`,
      refuses: [...refuses, 'webhook_disabled'],
      path: one,
      answer: delivery,
    }),
  };
}

const endpointsOf = (owner: Owner) => ({ ...managing(owner), ...sending(owner) });

export type WebhookEndpoints = ReturnType<typeof endpointsOf>;

export const ofAssociation = endpointsOf({
  prefix: '',
  path: t.inAssociation,
  access: { roles: MANAGING_ROLES },
  of: 'of an association',
  gets: "the association's events",
  refuses: ['association_closed'],
});

export const ofAll = endpointsOf({
  prefix: 'global_',
  path: {},
  access: { scope: MANAGE_SCOPE },
  of: 'of all associations',
  gets: 'the events of all associations, and those without one,',
  refuses: [],
});

function routesOf(base: string, endpoints: WebhookEndpoints): DeclaredRoute[] {
  const one = `${base}/:webhook_id`;
  return [
    route('POST', base, endpoints.create),
    route('GET', base, endpoints.list),
    route('GET', one, endpoints.get),
    route('PATCH', one, endpoints.change),
    route('DELETE', one, endpoints.remove),
    route('POST', `${one}/rotate-secret`, endpoints.rotateSecret),
    route('GET', `${one}/deliveries`, endpoints.listDeliveries),
    route('POST', `${one}/deliveries/:delivery_id/retry`, endpoints.retry),
    route('POST', `${one}/replay`, endpoints.replay),
    route('POST', `${one}/ping`, endpoints.ping),
  ];
}

export const API: ServiceApi = {
  tags: {
    [TAG]: 'Events for other programs: sent to their URLs as they happen, signed, and again until they are accepted.',
  },
  errors: WEBHOOK_ERRORS,
  routes: [...routesOf('/associations/:association_id/webhooks', ofAssociation), ...routesOf('/webhooks', ofAll)],
};

/**
 * The command of the service `reminders` that tells a user something, once for each `notice_id`. A copy, as services know of one another
 * only what they call.
 */
export const tell = command({
  name: 'reminders.tell',
  input: {
    notice_id: t.id(),
    user_id: t.opaque(t.USER_ID_MAX_CODE_POINTS),
    association_id: t.nullable(t.id()),
    kind: t.enumeration(['webhook_disabled']),
    url_host: t.text(1, HOST_MAX_CHARACTERS),
  },
  answer: nothing,
});
