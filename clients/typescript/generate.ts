/**
 * Writes the types of every call, src/schema.ts, from the OpenAPI document of the service (`npm run client:generate`).
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import openapiTS, { astToString } from 'openapi-typescript';
import { FURTHER_APIS } from '../../cli/further-apis.ts';
import { openApiDocument } from '../../services/gateway/openapi/document.ts';
import { ROUTES } from '../../services/gateway/routes.ts';

const HEADER = '/** Generated from the OpenAPI document by `npm run client:generate`. Do not edit. */\n\n';

type Json = Record<string, unknown>;

/** Returns the text of src/schema.ts. */
export async function clientSchema(): Promise<string> {
  const document = forTypes(JSON.parse(JSON.stringify(openApiDocument(ROUTES, FURTHER_APIS))) as Json);
  return (
    HEADER + astToString(await openapiTS(JSON.stringify(document), { alphabetize: true, defaultNonNullable: false }))
  );
}

/** Members of the document that do not affect types. */
const NOT_TYPES = new Set(['examples', 'example', 'headers', 'tags']);

/**
 * Returns the document without examples and without headers, which the client sets. All problems of an operation become
 * one type.
 */
function forTypes(document: Json): Json {
  const slim = withoutMembers(document) as { paths: Record<string, Record<string, Json>>; components: Json };
  for (const operation of Object.values(slim.paths).flatMap((methods) => Object.values(methods))) {
    const { parameters = [], responses = {} } = operation as { parameters?: Json[]; responses?: Json };
    // Headers are references; other parameters are written out in the operation.
    operation.parameters = parameters.filter((parameter) => parameter.$ref === undefined || !isHeader(parameter));
    const successes = Object.entries(responses).filter(([status]) => status.startsWith('2'));
    for (const [, response] of successes) preferJson(response as Json);
    operation.responses = { ...Object.fromEntries(successes), default: { $ref: '#/components/responses/Fault' } };
  }
  const schemas = Object.entries(slim.components.schemas as Json).filter(([name]) => !name.endsWith('Problem'));
  slim.components = { schemas: { ...Object.fromEntries(schemas), Problem }, responses: { Fault } };
  return slim;
}

/** Types an answer that can be JSON as JSON only. For a file the caller says how to read it (`parseAs`). */
function preferJson(response: Json): void {
  const { 'application/json': json } = (response.content ?? {}) as Json;
  if (json !== undefined) response.content = { 'application/json': json };
}

const Problem = {
  type: 'object',
  required: ['type', 'title', 'status', 'detail', 'instance', 'code', 'request_id'],
  properties: {
    type: { type: 'string' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string' },
    instance: { type: 'string' },
    request_id: { type: 'string' },
    code: { type: 'string' },
  },
  additionalProperties: true,
};
const Fault = {
  description: 'A problem.',
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
};

const HEADER_PARAMETERS = [
  'IdempotencyKey',
  'AcceptLanguage',
  'FileLanguage',
  'RequestId',
  'Traceparent',
  'IfMatch',
  'IfNoneMatch',
  'Accept',
];

function isHeader({ $ref }: Json): boolean {
  return typeof $ref === 'string' && HEADER_PARAMETERS.includes($ref.split('/').at(-1) ?? '');
}

function withoutMembers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutMembers);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([name]) => !NOT_TYPES.has(name));
  return Object.fromEntries(kept.map(([name, inner]) => [name, withoutMembers(inner)]));
}

if (import.meta.main) await writeFile(join(import.meta.dirname, 'src', 'schema.ts'), await clientSchema());
