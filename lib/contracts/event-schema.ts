/** JSON Schema and an example of each type of event. */
import { exampleOf } from '../schema/examples.ts';
import { pascal, schemaOf, type Components, type JsonSchema } from '../schema/json-schema.ts';
import { EVENT_SCHEMAS, PUBLISHERS, type EventData, type EventType, type LedgerEvent } from './events.ts';
import { EXAMPLE } from './fields.ts';

/** Returns the JSON Schema (2020-12) of an event of this type, for validators. */
export function eventSchema(type: EventType): JsonSchema {
  const components: Components = { direction: 'answer', schemas: new Map() };
  const schema = addEventSchema(type, components);
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    ...schema,
    components: { schemas: Object.fromEntries(components.schemas) },
  };
}

/** Adds the schema of a CloudEvents 1.0 event in JSON to the components, and returns a reference to it. */
export function addEventSchema(type: EventType, components: Components): JsonSchema {
  const name = `${pascal(type)}Event`;
  const data = schemaOf(EVENT_SCHEMAS[type], components, `${pascal(type)}Data`);
  components.schemas.set(name, {
    title: name,
    type: 'object',
    properties: {
      specversion: { type: 'string', const: '1.0' },
      id: {
        type: 'string',
        format: 'uuid',
        description: 'A UUIDv7. Ignore an event whose id you have already processed.',
      },
      source: {
        type: 'string',
        format: 'uri-reference',
        pattern: '^/association-service/[a-z]+$',
        description: 'The service that published it.',
      },
      type: { type: 'string', const: type },
      subject: {
        type: 'string',
        format: 'uuid',
        description: 'The association; absent for events that belong to none, but only to a wallet or a user.',
      },
      time: { type: 'string', format: 'date-time', description: 'When the change was made.' },
      datacontenttype: { type: 'string', const: 'application/json' },
      traceparent: {
        type: 'string',
        pattern: '^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$',
        description: 'The trace of the request that caused it (W3C Trace Context). Absent in older events.',
      },
      requestid: {
        type: 'string',
        description: 'The `X-Request-Id` of the request that caused it. Absent in older events.',
      },
      data,
    },
    required: ['specversion', 'id', 'source', 'type', 'time', 'datacontenttype', 'data'],
  });
  return { $ref: `#/components/schemas/${name}` };
}

/** Their events are of users, whatever associations they are in. */
const OF_NO_ASSOCIATION: readonly EventType[] = ['pin.changed'];

/**
 * Returns an example of an event of this type. All examples form one scenario.
 * @param changes replace members of the example and of its data
 */
export function exampleEvent<T extends EventType>(
  type: T,
  changes: Partial<Omit<LedgerEvent<T>, 'data'>> & { data?: Partial<EventData[T]> } = {},
): LedgerEvent<T> {
  return {
    specversion: '1.0',
    id: '0199d5e2-9b80-7000-8000-00000000ee01',
    source: `/association-service/${PUBLISHERS[type]}`,
    type,
    ...(OF_NO_ASSOCIATION.includes(type) ? {} : { subject: EXAMPLE.association_id }),
    time: '2026-10-05T18:30:00.000Z',
    datacontenttype: 'application/json',
    ...changes,
    data: { ...(exampleOf(EVENT_SCHEMAS[type], 'answer') as EventData[T]), ...changes.data },
  };
}
