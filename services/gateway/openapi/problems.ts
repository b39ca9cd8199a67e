/** Describes problem documents (RFC 9457): a schema and an example for each code, and responses. */
import { API_BASE } from '../../../lib/contracts/api.ts';
import { PROBLEM_EXTRAS } from '../../../lib/contracts/problem-extras.ts';
import { EXAMPLE } from '../../../lib/contracts/fields.ts';
import { errorEntry, type ErrorCode } from '../../../lib/errors/codes.ts';
import type { Fields } from '../../../lib/schema/fields.ts';
import { exampleOfFields } from '../../../lib/schema/examples.ts';
import { objectSchema, pascal, type Components, type JsonSchema } from '../../../lib/schema/json-schema.ts';
import { headerRefs } from './headers.ts';

const STANDARD_MEMBERS = ['type', 'title', 'status', 'detail', 'code', 'request_id'];

/** Returns status, title and detail of a code as the OpenAPI document shows them. */
function wordsOf(code: ErrorCode): { status: number; title: string; detail: string } {
  return { status: errorEntry(code).status, ...errorEntry(code).en };
}

function extrasOf(code: ErrorCode): Fields {
  return PROBLEM_EXTRAS[code] ?? errorEntry(code).extras ?? {};
}

/** Returns the name of the schema of a code. */
export function problemName(code: ErrorCode): string {
  return `${pascal(code)}Problem`;
}

/** Builds the schema of the problem documents of a code. */
export function problemSchema(code: ErrorCode, components: Components): JsonSchema {
  const { status, title, detail } = wordsOf(code);
  const extras = objectSchema(extrasOf(code), components, problemName(code)) as {
    properties: Record<string, JsonSchema>;
    required?: string[];
  };
  return {
    title: problemName(code),
    description: `${title}: ${detail}`,
    type: 'object',
    properties: {
      type: {
        type: 'string',
        format: 'uri-reference',
        const: `/problems/${code}`,
        description: 'A page that explains the code.',
      },
      title: { type: 'string', description: 'In the language of `Accept-Language`: English or French.' },
      status: { type: 'integer', const: status },
      detail: { type: 'string', description: 'What the caller can do, in the same language.' },
      instance: { type: 'string', format: 'uri-reference', description: 'The path of the request.' },
      code: {
        type: 'string',
        const: code,
        description: 'The error code, for programs. It is never renamed or reused.',
      },
      request_id: {
        type: 'string',
        description: 'As in `X-Request-Id`. Give it when you ask the operator about the request.',
      },
      ...extras.properties,
    },
    required: [...STANDARD_MEMBERS, ...(extras.required ?? [])],
  };
}

/** Builds a response with one of these codes. */
export function problemResponse(codes: readonly ErrorCode[], headers: readonly string[]): JsonSchema {
  const refs = codes.map((code) => ({ $ref: `#/components/schemas/${problemName(code)}` }));
  const mapping = Object.fromEntries(codes.map((code) => [code, `#/components/schemas/${problemName(code)}`]));
  const schema = refs.length === 1 ? refs[0] : { oneOf: refs, discriminator: { propertyName: 'code', mapping } };
  return {
    description: codes.map((code) => `\`${code}\`: ${wordsOf(code).title}.`).join(' '),
    headers: headerRefs(headers),
    content: {
      'application/problem+json': {
        schema,
        examples: Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }])),
      },
    },
  };
}

/** Returns an example of the problem document of each code, as components. */
export function problemExamples(codes: readonly ErrorCode[]): Record<string, JsonSchema> {
  const exampleOf = (code: ErrorCode) => {
    const { status, title, detail } = wordsOf(code);
    const value = {
      type: `/problems/${code}`,
      title,
      status,
      detail,
      instance: `${API_BASE}/associations/${EXAMPLE.association_id}`,
      code,
      request_id: '0199d5e2-9b80-7000-8000-00000000abcd',
      ...exampleOfFields(extrasOf(code), 'answer'),
    };
    return { summary: title, value };
  };
  return Object.fromEntries(codes.map((code) => [code, exampleOf(code)]));
}
