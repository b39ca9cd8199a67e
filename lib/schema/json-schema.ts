/**
 * Fields as JSON Schema 2020-12, for the OpenAPI and AsyncAPI documents: the third thing that comes from a contract,
 * beside the checks at run time (rules.ts) and the TypeScript types.
 */
import type { Field, Fields, FieldSpec, Shapes } from './fields.ts';
import { AMOUNT_MAX_MAJOR } from './rules.ts';

export type JsonSchema = Record<string, unknown>;

/**
 * `request`: members with a default may be left out. `answer`: every member that the contract does not call optional is
 * there.
 */
export type Direction = 'request' | 'answer';

/** Where the schemas of named fields go, each once; what refers to them gets a `$ref`. */
export interface Components {
  readonly direction: Direction;
  readonly schemas: Map<string, JsonSchema>;
}

/** Where components are found in both kinds of documents. */
const SCHEMAS = '#/components/schemas/';

/** A named object has two forms if it occurs in requests and answers: this ends the name of the former. */
const REQUEST_SUFFIX = 'Input';

const schemasByKind: {
  [K in FieldSpec['kind']]: (spec: Extract<FieldSpec, { kind: K }>, components: Components) => JsonSchema;
} = {
  text: ({ min_code_points, max_code_points }) => ({
    type: 'string',
    ...(min_code_points === 0 ? {} : { minLength: min_code_points }),
    maxLength: max_code_points,
  }),
  opaque: ({ max_code_points }) => ({ type: 'string', maxLength: max_code_points }),
  enumeration: ({ values }) => ({ type: 'string', enum: [...values] }),
  integer: ({ min, max }) => ({
    type: 'integer',
    minimum: min,
    ...(max === Number.MAX_SAFE_INTEGER ? { format: 'int64' } : { maximum: max }),
  }),
  boolean: () => ({ type: 'boolean' }),
  amount: () => ({ type: 'number', exclusiveMinimum: 0, maximum: AMOUNT_MAX_MAJOR }),
  money: () => ({ type: 'number' }),
  minor: () => ({ type: 'integer', format: 'int64' }),
  id: () => ({ type: 'string', format: 'uuid' }),
  date: () => ({ type: 'string', format: 'date' }),
  instant: () => ({ type: 'string', format: 'date-time' }),
  currency: () => ({ type: 'string', pattern: '^[A-Z]{3}$' }),
  list: ({ of, min_items, max_items }, components) => ({
    type: 'array',
    items: schemaOf(of, components),
    ...(min_items === 0 ? {} : { minItems: min_items }),
    ...(max_items === Number.MAX_SAFE_INTEGER ? {} : { maxItems: max_items }),
  }),
  object: ({ fields, min_members, shapes }, components) =>
    shapes === undefined ? objectSchema(fields, components, min_members) : shapesSchema(shapes, components),
  free: ({ shapes = [] }, components) => {
    const [only, ...others] = shapes.map((shape) => schemaOf(shape, components));
    return only === undefined ? { type: 'object' } : others.length === 0 ? only : { anyOf: [only, ...others] };
  },
};

/** The schema of a value of this field. */
export function schemaOf(field: Field, components: Components): JsonSchema {
  const schema = field.component === undefined ? bareSchema(field, components) : reference(field, components);
  return {
    ...orNull(schema, field.nullable),
    ...(field.description === undefined ? {} : { description: field.description }),
    ...(components.direction === 'request' && field.fallback !== undefined ? { default: field.fallback } : {}),
    ...(field.example === undefined ? {} : { examples: [field.example] }),
  };
}

/** The schema of an object with these members and no others. */
export function objectSchema(fields: Fields, components: Components, min_members = 0): JsonSchema {
  const required = Object.keys(fields).filter((name) => isRequired(fields[name], components.direction));
  return {
    type: 'object',
    properties: Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, schemaOf(field, components)])),
    ...(required.length === 0 ? {} : { required }),
    ...(min_members === 0 ? {} : { minProperties: min_members }),
    additionalProperties: false,
  };
}

/** One of these objects. */
export function shapesSchema({ by, of }: Shapes, components: Components): JsonSchema {
  const refs = Object.entries(of).map(([value, field]) => [value, reference(field, components).$ref] as const);
  return {
    oneOf: refs.map(([, $ref]) => ({ $ref })),
    discriminator: { propertyName: by, mapping: Object.fromEntries(refs) },
  };
}

function isRequired(field: Field | undefined, direction: Direction): boolean {
  return field?.optional === false && (direction === 'answer' || field.fallback === undefined);
}

function bareSchema({ spec }: Field, components: Components): JsonSchema {
  const build = schemasByKind[spec.kind] as (spec: FieldSpec, components: Components) => JsonSchema;
  return build(spec, components);
}

function reference(field: Field, components: Components): JsonSchema {
  const isInput = components.direction === 'request' && field.spec.kind === 'object';
  const name = isInput ? `${field.component ?? ''}${REQUEST_SUFFIX}` : (field.component ?? '');
  if (!components.schemas.has(name)) {
    // Taken before it is built, so that the components stand in the order in which they are met.
    components.schemas.set(name, {});
    components.schemas.set(name, { title: name, ...bareSchema(field, components) });
  }
  return { $ref: `${SCHEMAS}${name}` };
}

function orNull(schema: JsonSchema, isNullable: boolean): JsonSchema {
  if (!isNullable) return schema;
  const { type, enum: values, ...rest } = schema;
  if (typeof type !== 'string') return { oneOf: [schema, { type: 'null' }] };
  return {
    type: [type, 'null'],
    ...(Array.isArray(values) ? { enum: [...(values as unknown[]), null] } : {}),
    ...rest,
  };
}
