import { ApiDocument, type Operation } from '../../harness/api-document.ts';

interface Schema {
  $ref?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  oneOf?: Schema[];
  anyOf?: Schema[];
  allOf?: Schema[];
}
type Schemas = Record<string, Schema>;

const schemasOf = (document: object) => (document as { components: { schemas: Schemas } }).components.schemas;

/** Parameters and members of bodies that name objects. The code of an invitation is in paths only. */
const NAMES_OBJECTS = /_id$|^member_order$/;
const CODE = 'code';

/** Returns where the operations of a document name objects, except the association in the path: `operation field`. */
export function idFields(document: object): string[] {
  const named = new ApiDocument(document).operations.flatMap((operation) => {
    const parameters = operation.parameters.filter((parameter) => parameter.in !== 'header').map(({ name }) => name);
    return [...parameters, ...bodyMembers(document, operation)]
      .filter((field) => field !== 'association_id' && NAMES_OBJECTS.test(field.split('.').at(-1)!))
      .concat(parameters.filter((name) => name === CODE))
      .map((field) => `${operation.id} ${field}`);
  });
  return [...new Set(named)].toSorted();
}

/** Returns the members of an operation's body, such as `payload.member_id`. */
export function bodyMembers(document: object, { requestBody }: Operation): string[] {
  return membersOf(requestBody?.content['application/json']?.schema ?? {}, schemasOf(document));
}

/** Returns the names of the members of everything that the document describes. */
export function knownNames(document: object): string[] {
  return Object.values(schemasOf(document)).flatMap(({ properties = {} }) => Object.keys(properties));
}

function membersOf(schema: Schema, known: Schemas, prefix = ''): string[] {
  const { $ref, properties = {}, items, oneOf = [], anyOf = [], allOf = [] } = schema;
  const parts = [...oneOf, ...anyOf, ...allOf, ...(items === undefined ? [] : [items])];
  const referred = $ref === undefined ? [] : [known[$ref.split('/').at(-1)!]!];
  return [
    ...[...referred, ...parts].flatMap((part) => membersOf(part, known, prefix)),
    ...Object.entries(properties).flatMap(([name, member]) => [
      prefix + name,
      ...membersOf(member, known, `${prefix}${name}.`),
    ]),
  ];
}
