/** Builds JSON Schema 2020-12 from fields, for the OpenAPI and AsyncAPI documents. */
import { TIME_ZONE_MAX_LENGTH } from '../calendar/zones.ts';
import {
  AMOUNT_MAX_MAJOR,
  PERCENT_MAX,
  PERCENT_MIN,
  TEXT_NAME_PATTERN,
  type Field,
  type Fields,
  type FieldSpec,
  type Shapes,
} from './fields.ts';

export type JsonSchema = Record<string, unknown>;

/** In a `request`, members with a default may be absent; in an `answer`, only optional members may be. */
export type Direction = 'request' | 'answer';

/** Collects the schemas of named fields, each once; other schemas refer to them by `$ref`. */
export interface Components {
  readonly direction: Direction;
  readonly schemas: Map<string, JsonSchema>;
}

/** The place of components in both documents. */
const SCHEMAS = '#/components/schemas/';

/** The suffix of the name of an object's schema for requests, which differs from the schema for answers. */
const REQUEST_SUFFIX = 'Input';

const schemasByKind: {
  [K in FieldSpec['kind']]: (spec: Extract<FieldSpec, { kind: K }>, components: Components, name: string) => JsonSchema;
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
  amount: ({ or_zero }) => ({
    type: 'number',
    ...(or_zero === true ? { minimum: 0 } : { exclusiveMinimum: 0 }),
    maximum: AMOUNT_MAX_MAJOR,
  }),
  percent: () => ({ type: 'number', minimum: PERCENT_MIN, maximum: PERCENT_MAX }),
  money: () => ({ type: 'number' }),
  minor: () => ({ type: 'integer', format: 'int64' }),
  id: () => ({ type: 'string', format: 'uuid' }),
  date: () => ({ type: 'string', format: 'date' }),
  instant: () => ({ type: 'string', format: 'date-time' }),
  day_or_instant: () => ({
    anyOf: [
      { type: 'string', format: 'date' },
      { type: 'string', format: 'date-time' },
    ],
  }),
  currency: () => ({ type: 'string', pattern: '^[A-Z]{3}$' }),
  time_zone: () => ({ type: 'string', maxLength: TIME_ZONE_MAX_LENGTH }),
  list: ({ of, min_items, max_items }, components, name) => ({
    type: 'array',
    items: schemaOf(of, components, name.replace(/s$/, '')),
    ...(min_items === 0 ? {} : { minItems: min_items }),
    ...(max_items === Number.MAX_SAFE_INTEGER ? {} : { maxItems: max_items }),
  }),
  object: ({ fields, min_members, shapes }, components, name) =>
    shapes === undefined ? objectSchema(fields, components, name, min_members) : shapesSchema(shapes, components),
  texts: ({ max_members, max_name_code_points, max_code_points }) => ({
    type: 'object',
    propertyNames: { minLength: 1, maxLength: max_name_code_points, pattern: TEXT_NAME_PATTERN },
    additionalProperties: { type: 'string', maxLength: max_code_points },
    maxProperties: max_members,
  }),
  free: ({ shape }, components, name) => (shape === undefined ? { type: 'object' } : schemaOf(shape, components, name)),
};

/**
 * Returns the schema of a value of this field.
 * @param name the name for an object or enumeration without its own, as generators create a type for each
 */
export function schemaOf(field: Field, components: Components, name: string): JsonSchema {
  const isDerived = field.component === undefined && becomesType(field.spec);
  const isNamed = field.component !== undefined || isDerived;
  const schema = isNamed ? reference(field, components, name) : bareSchema(field, components, name);
  return {
    ...orNull(schema, field.nullable),
    // AsyncAPI allows no description next to a reference: a schema that is used once, or always has the same words, is described
    // in its component.
    ...((isDerived && !field.nullable) || field.spec.kind === 'texts' ? {} : wordsOf(field)),
    ...(components.direction === 'request' && field.fallback !== undefined ? { default: field.fallback } : {}),
  };
}

function wordsOf({ description, example }: Field): JsonSchema {
  return {
    ...(description === undefined ? {} : { description }),
    ...(example === undefined ? {} : { examples: [example] }),
  };
}

/**
 * Returns the schema of an object with these members. A request may have no others. Later versions may add members to an
 * answer, which clients ignore.
 */
export function objectSchema(fields: Fields, components: Components, name: string, min_members = 0): JsonSchema {
  const member = ([key, field]: [string, Field]) => [key, schemaOf(field, components, name + pascal(key))];
  const required = Object.keys(fields).filter((name) => isRequired(fields[name], components.direction));
  return {
    type: 'object',
    properties: Object.fromEntries(Object.entries(fields).map(member)) as JsonSchema,
    ...(required.length === 0 ? {} : { required }),
    ...(min_members === 0 ? {} : { minProperties: min_members }),
    ...(components.direction === 'request' ? { additionalProperties: false } : {}),
  };
}

/** Returns the schema of one of these objects. */
export function shapesSchema({ by, of }: Shapes, components: Components): JsonSchema {
  const refs = Object.entries(of).map(([value, field]) => [value, reference(field, components, value).$ref] as const);
  return {
    oneOf: refs.map(([, $ref]) => ({ $ref })),
    discriminator: { propertyName: by, mapping: Object.fromEntries(refs) },
  };
}

/** Whether generators should create a type. An enumeration of one word needs none: it only distinguishes shapes. */
function becomesType(spec: FieldSpec): boolean {
  return (
    (spec.kind === 'object' && spec.shapes === undefined) || (spec.kind === 'enumeration' && spec.values.length > 1)
  );
}

function isRequired(field: Field | undefined, direction: Direction): boolean {
  return field?.optional === false && (direction === 'answer' || field.fallback === undefined);
}

function bareSchema({ spec }: Field, components: Components, name: string): JsonSchema {
  const build = schemasByKind[spec.kind] as (spec: FieldSpec, components: Components, name: string) => JsonSchema;
  return build(spec, components, name);
}

function reference(field: Field, components: Components, otherwise: string): JsonSchema & { $ref: string } {
  const isInput = components.direction === 'request' && field.spec.kind === 'object' && field.component !== undefined;
  const name = `${field.component ?? otherwise}${isInput ? REQUEST_SUFFIX : ''}`;
  if (!components.schemas.has(name)) {
    // The name is reserved before the schema is built, so that the components are in the order of their first use.
    components.schemas.set(name, {});
    // Null is no value of the component: it is one where it is referred to.
    const shown = field.example === null ? { ...field, example: undefined } : field;
    const words = field.component === undefined || field.spec.kind === 'texts' ? wordsOf(shown) : {};
    components.schemas.set(name, { title: name, ...words, ...bareSchema(field, components, name) });
  }
  return { $ref: `${SCHEMAS}${name}` };
}

function orNull(schema: JsonSchema, isNullable: boolean): JsonSchema {
  if (!isNullable) return schema;
  const { type, ...rest } = schema;
  // For an enumeration that includes null, some generators produce code that does not compile.
  return typeof type !== 'string' || 'enum' in schema
    ? { anyOf: [schema, { type: 'null' }] }
    : { type: [type, 'null'], ...rest };
}

/** Converts a name to Pascal case: `pin_not_set` becomes `PinNotSet`. */
export function pascal(text: string): string {
  return text.replace(/(?:^|[._])(\w)/g, (_match, letter: string) => letter.toUpperCase());
}
