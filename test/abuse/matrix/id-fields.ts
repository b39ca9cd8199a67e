import { ApiDocument } from '../../harness/api-document.ts';

type Schema = Record<string, unknown>;

/** Members of bodies that name objects without ending in `_id`. */
const NAMES_OBJECTS = /_id$|^member_order$|^code$/;

/** Returns where the operations of a document name objects, except the association in the path: `operation field`. */
export function idFields(document: object): string[] {
  const { components } = document as { components: { schemas: Record<string, Schema> } };
  const named = new Set<string>();
  for (const { id, parameters, requestBody } of new ApiDocument(document).operations) {
    for (const { name, in: place } of parameters) {
      if (place !== 'header' && name !== 'association_id' && NAMES_OBJECTS.test(name)) named.add(`${id} ${name}`);
    }
    const body = requestBody?.content['application/json']?.schema;
    for (const field of idMembers(body as Schema | undefined, components.schemas)) named.add(`${id} ${field}`);
  }
  return [...named].toSorted();
}

/** Returns the members of a schema that name objects, as `payload.member_id`. */
function idMembers(schema: Schema | undefined, known: Record<string, Schema>, prefix = ''): string[] {
  if (schema === undefined) return [];
  const {
    $ref,
    properties = {},
    oneOf = [],
    anyOf = [],
    allOf = [],
  } = schema as {
    $ref?: string;
    properties?: Record<string, Schema>;
    oneOf?: Schema[];
    anyOf?: Schema[];
    allOf?: Schema[];
  };
  const referred = $ref === undefined ? [] : [known[$ref.split('/').at(-1)!]!];
  return [
    ...[...referred, ...oneOf, ...anyOf, ...allOf].flatMap((part) => idMembers(part, known, prefix)),
    ...Object.entries(properties).flatMap(([name, member]) => [
      ...(NAMES_OBJECTS.test(name) ? [prefix + name] : []),
      ...idMembers(member, known, `${prefix}${name}.`),
    ]),
  ];
}
