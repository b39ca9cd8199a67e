/** Builds one operation of the OpenAPI document from a route. */
import type { Deprecation, Endpoint } from '../../../lib/contracts/action.ts';
import { statement, transferRecord } from '../../../lib/contracts/treasury.ts';
import type { ErrorCode } from '../../../lib/errors/codes.ts';
import type { Field } from '../../../lib/schema/fields.ts';
import { exampleOf, exampleOfFields } from '../../../lib/schema/examples.ts';
import { objectSchema, pascal, schemaOf, shapesSchema } from '../../../lib/schema/json-schema.ts';
import type { Components, JsonSchema } from '../../../lib/schema/json-schema.ts';
import { givesTag, isList, isWrite, takesIfMatch, takesIfNoneMatch, type Route } from '../http/route.rules.ts';
import { csvPieces } from '../statements/csv.view.ts';
import { ALWAYS, deprecationHeaderDocs, headerRefs, parameterRefs } from './headers.ts';
import { codesByStatus, operationIdOf, rolesOf, schemaNameOf } from './operation.rules.ts';
import { problemResponse } from './problems.ts';

/** The components that operations share. Each operation adds its own. */
export interface Shared {
  request: Components;
  answer: Components;
  responses: Map<string, JsonSchema>;
}

/** The description of each success status. */
const SUCCESSES: Record<number, string> = {
  200: 'Success.',
  201: 'Created. `Location` is its path.',
  202: 'Accepted. The outcome is not known yet: read it at `Location`.',
  204: 'Success, without a body.',
};

/** Headers in addition to those of every answer, by status. */
const PROBLEM_HEADERS: Record<number, readonly string[]> = {
  401: ['WWW-Authenticate'],
  423: ['Retry-After'],
  429: ['Retry-After'],
};

/** Builds the operation of a route, and adds its components to `shared`. */
export function operationOf(route: Route, shared: Shared): JsonSchema {
  const { endpoint } = route;
  return {
    operationId: operationIdOf(endpoint.name),
    tags: [endpoint.tag],
    summary: endpoint.summary,
    description: descriptionOf(route),
    ...(endpoint.deprecated === undefined ? {} : { deprecated: true }),
    ...(endpoint.open === true ? { security: [] } : {}),
    parameters: parametersOf(route, shared),
    ...bodyOf(route, shared),
    responses: { ...successResponses(route, shared), ...problemResponses(route, shared) },
  };
}

function descriptionOf({ endpoint }: Route): string {
  const roles = rolesOf(endpoint);
  const { permission, scope, description, deprecated } = endpoint;
  const permitted =
    roles !== undefined
      ? `Roles: ${roles.join(', ')}.`
      : permission !== undefined
        ? 'Every member may call it.'
        : scope !== undefined
          ? `Needs the scope \`${scope}\`.`
          : '';
  const texts = [endingOf(deprecated), description ?? `${endpoint.summary}.`, permitted];
  return texts.filter((text) => text !== '').join('\n\n');
}

function endingOf(deprecated: Deprecation | undefined): string {
  if (deprecated === undefined) return '';
  const { since, sunset, link } = deprecated;
  const end = sunset === undefined ? '' : ` It ends on ${sunset}.`;
  return `**Deprecated since ${since}.**${end} [What to use instead](${link}).`;
}

function parametersOf(route: Route, { request }: Shared): unknown[] {
  const { name: action, path, query } = route.endpoint;
  const parameter = (where: 'path' | 'query', name: string, field: Field) => {
    const { description, ...schema } = schemaOf(field, request, schemaNameOf(action, pascal(name)));
    const required = where === 'path' || isRequired(field);
    return { name, in: where, required, description: description ?? field.description, schema };
  };
  return [
    ...Object.entries(path).map(([name, field]) => parameter('path', name, field)),
    ...Object.entries(query).map(([name, field]) => parameter('query', name, field)),
    ...parameterRefs([
      ...(isWrite(route) ? (['IdempotencyKey'] as const) : []),
      ...(takesIfMatch(route) ? (['IfMatch'] as const) : []),
      ...(takesIfNoneMatch(route) ? (['IfNoneMatch'] as const) : []),
      isFile(route) ? 'FileLanguage' : 'AcceptLanguage',
      'RequestId',
      'Traceparent',
    ]),
  ];
}

/** Whether answers are files in the client's language. */
function isFile({ answer }: Route): boolean {
  return answer === 'statement' || answer === 'sheet';
}

function isRequired({ optional, fallback }: Field): boolean {
  return !optional && fallback === undefined;
}

function bodyOf({ endpoint }: Route, { request }: Shared): JsonSchema {
  const { body, body_min_members = 0, body_shapes } = endpoint;
  if (Object.keys(body).length === 0) return {};
  const name = schemaNameOf(endpoint.name, 'Request');
  const schema =
    body_shapes === undefined
      ? objectSchema(body, request, name, body_min_members)
      : shapesSchema(body_shapes, request);
  request.schemas.set(name, { title: name, ...schema });
  const required = body_min_members > 0 || Object.values(body).some(isRequired);
  const content = { schema: { $ref: `#/components/schemas/${name}` }, ...bodyExamples(endpoint) };
  return { requestBody: { required, content: { 'application/json': content } } };
}

/** Returns one example, or one for each shape of the body. */
function bodyExamples({ body, body_shapes, examples }: Endpoint): JsonSchema {
  if (body_shapes === undefined) return { example: examples.body ?? exampleOfFields(body, 'request') };
  const named = Object.entries(body_shapes.of).map(([value, field]) => [value, { value: exampleOf(field, 'request') }]);
  return { examples: Object.fromEntries(named) as JsonSchema };
}

function successResponses(route: Route, { answer }: Shared): Record<string, JsonSchema> {
  const { endpoint } = route;
  const statuses = [endpoint.status, ...(endpoint.also ?? [])].toSorted();
  const of = (status: number): JsonSchema => ({
    description: SUCCESSES[status] ?? '',
    headers: { ...headerRefs(successHeaders(route, status)), ...deprecationHeaderDocs(endpoint.deprecated) },
    ...(status === 204 ? {} : { content: answerContent(route, answer, exampleAnswer(endpoint, status)) }),
  });
  return {
    ...Object.fromEntries(statuses.map((status) => [String(status), of(status)])),
    ...(takesIfNoneMatch(route) ? { 304: { $ref: '#/components/responses/NotModified' } } : {}),
  };
}

function successHeaders(route: Route, status: number): string[] {
  return [
    ...ALWAYS,
    ...(status === 201 || status === 202 ? ['Location'] : []),
    ...(givesTag(route) ? ['ETag'] : []),
    ...(isList(route) ? ['Link'] : []),
    ...(isFile(route) ? ['Content-Disposition', 'Content-Language'] : []),
    ...(isWrite(route) ? ['Idempotency-Replayed'] : []),
  ];
}

function exampleAnswer({ answer, examples }: Endpoint, status: number): unknown {
  return (status === 202 ? examples.accepted : undefined) ?? examples.answer ?? exampleOf(answer, 'answer');
}

/** Returns the `content` of a success. */
function answerContent(route: Route, components: Components, example: unknown): Record<string, JsonSchema> {
  if (route.answer === 'ndjson') return { 'application/x-ndjson': lines(components) };
  if (route.answer === 'sheet') return { 'application/pdf': PDF };
  const { name, answer } = route.endpoint;
  const json = { 'application/json': { schema: schemaOf(answer, components, schemaNameOf(name, 'Answer')), example } };
  return route.answer === 'statement' ? { ...json, ...statementFiles() } : json;
}

/** Returns the content of NDJSON. OpenAPI 3.1 cannot describe lines, so `x-line-schema` is the schema of each line. */
function lines(components: Components): JsonSchema {
  const line = schemaOf(transferRecord, components, 'Transfer');
  return {
    schema: { type: 'string', description: 'One transfer per line, as JSON.' },
    'x-line-schema': line,
    example: `${JSON.stringify(exampleOf(transferRecord, 'answer'))}\n`,
  };
}

/** The content of a PDF. */
const PDF: JsonSchema = {
  schema: {
    type: 'string',
    contentMediaType: 'application/pdf',
    description: 'For printing, in the language of `Accept-Language`.',
  },
};

function statementFiles(): Record<string, JsonSchema> {
  return {
    'text/csv': {
      schema: {
        type: 'string',
        description:
          'CSV (RFC 4180) in UTF-8: a header in the language of `Accept-Language`, the opening balance, each movement, ' +
          'arrears, fines and the closing balance.',
      },
      example: [...csvPieces(exampleOf(statement.answer, 'answer'), 'en')].join(''),
    },
    'application/pdf': PDF,
  };
}

function problemResponses(route: Route, { responses }: Shared): Record<string, JsonSchema> {
  const byStatus = [...codesByStatus(route)].map(([status, codes]) => [
    status,
    sharedResponse(status, codes, responses),
  ]);
  return {
    ...(Object.fromEntries(byStatus) as Record<string, JsonSchema>),
    default: { $ref: '#/components/responses/Fault' },
  };
}

/**
 * Returns a reference to a response that many operations share, or the response itself if only this operation has it.
 */
function sharedResponse(status: number, codes: readonly ErrorCode[], responses: Map<string, JsonSchema>): JsonSchema {
  const response = problemResponse(codes, [...ALWAYS, 'Content-Language', ...(PROBLEM_HEADERS[status] ?? [])]);
  const name = status === 401 ? 'Unauthorized' : codes.length === 1 ? pascal(codes[0] ?? '') : undefined;
  if (name === undefined) return response;
  responses.set(name, response);
  return { $ref: `#/components/responses/${name}` };
}
