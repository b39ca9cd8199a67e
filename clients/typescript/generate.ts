/** `npm run client:generate`: writes src/schema.ts, the types of every call, from the service's OpenAPI document. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import openapiTS, { astToString } from 'openapi-typescript';
import { openApiDocument } from '../../services/gateway/openapi/document.ts';
import { ROUTES } from '../../services/gateway/routes.ts';

const HEADER = '/** Made from the OpenAPI document by `npm run client:generate`: not to be edited. */\n\n';

type Json = Record<string, unknown>;

/** The text of src/schema.ts. */
export async function clientSchema(): Promise<string> {
  const document = forTypes(JSON.parse(JSON.stringify(openApiDocument(ROUTES))) as Json);
  return (
    HEADER + astToString(await openapiTS(JSON.stringify(document), { alphabetize: true, defaultNonNullable: false }))
  );
}

/** Members that say nothing to a compiler. */
const NOT_TYPES = new Set(['examples', 'example', 'headers', 'tags']);

/** The document without examples and headers, which the client sets itself; all refusals of an operation as one. */
function forTypes(document: Json): Json {
  const slim = withoutMembers(document) as { paths: Record<string, Record<string, Json>>; components: Json };
  for (const operation of Object.values(slim.paths).flatMap((methods) => Object.values(methods))) {
    const { parameters = [], responses = {} } = operation as { parameters?: Json[]; responses?: Json };
    // What is referred to are headers; the operation's own parameters are written out.
    operation.parameters = parameters.filter((parameter) => parameter.$ref === undefined || !isHeader(parameter));
    const granted = Object.entries(responses).filter(([status]) => status.startsWith('2'));
    for (const [, response] of granted) preferJson(response as Json);
    operation.responses = { ...Object.fromEntries(granted), default: { $ref: '#/components/responses/Fault' } };
  }
  const schemas = Object.entries(slim.components.schemas as Json).filter(([name]) => !name.endsWith('Problem'));
  slim.components = { schemas: { ...Object.fromEntries(schemas), Problem }, responses: { Fault } };
  return slim;
}

/** What is had as JSON is typed as that alone: for a file the caller says how to read it (`parseAs`). */
function preferJson(response: Json): void {
  const { 'application/json': json } = (response.content ?? {}) as Json;
  if (json !== undefined) response.content = { 'application/json': json };
}

const Problem = {
  type: 'object',
  required: ['type', 'title', 'status', 'detail', 'instance', 'code', 'request_id'],
  properties: {
    ...{ type: { type: 'string' }, title: { type: 'string' }, status: { type: 'integer' } },
    ...{ detail: { type: 'string' }, instance: { type: 'string' }, request_id: { type: 'string' } },
    /** What to decide on. */
    code: { type: 'string' },
  },
  additionalProperties: true,
};
const Fault = {
  description: 'A refusal.',
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
};

const HEADER_PARAMETERS = [
  'IdempotencyKey',
  'AcceptLanguage',
  'FileLanguage',
  'RequestId',
  'Traceparent',
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
