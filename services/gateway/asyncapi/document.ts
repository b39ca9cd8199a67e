/** Builds the AsyncAPI 3.0 document of the events from their contracts. */
import { EVENT_SCHEMAS, STREAM, subjectOf, type EventType } from '../../../lib/contracts/events.ts';
import { addEventSchema, exampleEvent } from '../../../lib/contracts/event-schema.ts';
import { EXAMPLE } from '../../../lib/contracts/fields.ts';
import { pascal, type Components, type JsonSchema } from '../../../lib/schema/json-schema.ts';
import { API_VERSION } from '../openapi/document.ts';
import { EVENT_SUMMARIES } from './summaries.ts';

const DESCRIPTION = `
The events of savings groups (associations) and of their members' wallets and PINs. The OpenAPI document,
\`/openapi.json\`, explains the terms.

Every state change is a CloudEvents 1.0 event in JSON. The service writes it to its outbox, a table, in the transaction of the
change, and then publishes it to the NATS JetStream stream \`${STREAM}\` under the subject
\`ledger.v1.<association_id>.<type>\`. Events that belong to no association, but only to a wallet or a user, have
\`wallets\` instead of the id.

An event is delivered at least once: ignore an event whose \`id\`, which is also its \`Nats-Msg-Id\`, you have already
processed. Events of one association from one service arrive in order. The stream can be rebuilt from the outbox. Amounts are
integers in minor units.
`.trim();

const TYPES = Object.keys(EVENT_SCHEMAS) as EventType[];

/** Builds the AsyncAPI document. */
export function asyncApiDocument(): JsonSchema {
  const components: Components = { direction: 'answer', schemas: new Map([['EventHeaders', EVENT_HEADERS]]) };
  const messages = Object.fromEntries(TYPES.map((type) => [type, messageOf(type, components)]));
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Association service: events',
      version: API_VERSION,
      description: DESCRIPTION,
      contact: { name: 'The operator of this server' },
      tags: [{ name: 'events', description: 'What has happened in associations, and to wallets and PINs.' }],
      license: { name: 'Apache 2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    defaultContentType: 'application/json',
    servers: {
      nats: {
        host: 'localhost:4222',
        protocol: 'nats',
        description: 'NATS with JetStream, at the address of `NATS_URL`.',
      },
    },
    channels: Object.fromEntries(TYPES.map((type) => [type, channelOf(type)])),
    operations: Object.fromEntries(TYPES.map((type) => [`send.${type}`, operationOf(type)])),
    components: {
      securitySchemes: {
        nats: { type: 'userPassword', description: 'The user and password of the NATS server, if it requires them.' },
      },
      messages,
      schemas: Object.fromEntries(components.schemas),
      parameters: {
        association_id: {
          description: 'The association, or `wallets` if there is none.',
          examples: [EXAMPLE.association_id, 'wallets'],
        },
      },
    },
  };
}

function channelOf(type: EventType): JsonSchema {
  return {
    address: subjectOf('{association_id}', type),
    title: type,
    description: EVENT_SUMMARIES[type],
    messages: { [type]: { $ref: `#/components/messages/${type}` } },
    parameters: { association_id: { $ref: '#/components/parameters/association_id' } },
  };
}

function operationOf(type: EventType): JsonSchema {
  return {
    action: 'send',
    security: [{ $ref: '#/components/securitySchemes/nats' }],
    title: type,
    summary: EVENT_SUMMARIES[type],
    description: `Published after this change: ${EVENT_SUMMARIES[type]}`,
    channel: { $ref: `#/channels/${type}` },
    messages: [{ $ref: `#/channels/${type}/messages/${type}` }],
  };
}

function messageOf(type: EventType, components: Components): JsonSchema {
  return {
    name: type,
    title: type,
    summary: EVENT_SUMMARIES[type],
    contentType: 'application/json',
    headers: { $ref: '#/components/schemas/EventHeaders' },
    payload: addEventSchema(type, components),
    examples: [{ name: pascal(type), summary: EVENT_SUMMARIES[type], payload: exampleEvent(type) }],
  };
}

const EVENT_HEADERS = {
  title: 'EventHeaders',
  type: 'object',
  properties: {
    'Nats-Msg-Id': {
      type: 'string',
      format: 'uuid',
      description: "The event's `id`, by which JetStream drops duplicates.",
    },
  },
  required: ['Nats-Msg-Id'],
};
