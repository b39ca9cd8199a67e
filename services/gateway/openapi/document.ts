/** Builds the OpenAPI 3.1 document from the routes and their contracts, which also validate requests. */
import type { Tag } from '../../../lib/contracts/action.ts';
import { API_BASE } from '../../../lib/contracts/api.ts';
import { errorCodes, type ErrorCode } from '../../../lib/errors/codes.ts';
import type { JsonSchema } from '../../../lib/schema/json-schema.ts';
import type { KnownApis } from '../further-apis/joined-apis.rules.ts';
import type { Route } from '../http/route.rules.ts';
import { ALWAYS, headerRefs, HEADERS, PARAMETERS } from './headers.ts';
import { GETTING_TOKENS, INTRODUCTION } from './introduction.ts';
import { codesOf, FAULT_CODES, templateOf } from './operation.rules.ts';
import { operationOf, type Shared } from './operation.ts';
import { problemExamples, problemName, problemResponse, problemSchema } from './problems.ts';

/** The version of the API, not of the program. The path says `v1`; additions increment the second number. */
export const API_VERSION = '1.0.0';

const TAG_DESCRIPTIONS: Record<Tag, string> = {
  Associations: 'Groups that save together: their terms and rules.',
  Members: 'The members of a group: joining, inviting, leaving.',
  PINs: 'The PIN that payments and votes need, and the keys to encrypt it with.',
  Wallets: 'Electronic money of users: contributions are paid from wallets, and payouts go to them.',
  Cycles: 'Rotations, from the first turn to the last. Each turn is a round.',
  Meetings: 'The meetings of a cycle, one for each round, and meetings outside a cycle.',
  Contributions: 'Payments of members towards what they owe for a meeting.',
  Settlement: 'Closing a meeting and paying the pot to the members whose turn it is.',
  Fines: 'What members owe for coming late, staying away or paying late, by the rules of the association.',
  Cash: 'Cash that officers receive, and the cash ledger.',
  Treasury: 'The money of the association, and distributions from it to members.',
  Ledger: 'Every movement of money, in a hash chain that every member can verify.',
  Governance: 'Requests and proposals that the board votes on.',
};

/**
 * Builds the OpenAPI document of the routes.
 * @param further the routes of further services, which declare them
 */
export function openApiDocument(own: readonly Route[], further: KnownApis = { routes: [], tags: {} }): JsonSchema {
  const routes = [...own, ...further.routes];
  const schemas = new Map<string, JsonSchema>();
  const shared: Shared = {
    request: { direction: 'request', schemas },
    answer: { direction: 'answer', schemas },
    responses: new Map<string, JsonSchema>(),
  };
  const paths: Record<string, JsonSchema> = {};
  for (const route of routes) {
    const template = templateOf(route.path);
    paths[template] = { ...paths[template], [route.method.toLowerCase()]: operationOf(route, shared) };
  }
  const codes = documentedCodes(routes);
  for (const code of codes) schemas.set(problemName(code), problemSchema(code, shared.answer));
  return {
    openapi: '3.1.1',
    info: {
      title: 'Association service',
      version: API_VERSION,
      summary: 'The API behind savings groups: tontines, savings and mutual-aid funds.',
      description: INTRODUCTION,
      contact: { name: 'The operator of this server' },
      license: { name: 'Apache 2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: API_BASE, description: 'Relative to the server of this document.' }],
    security: [{ bearer: [] }],
    tags: Object.entries({ ...TAG_DESCRIPTIONS, ...further.tags }).map(([name, description]) => ({
      name,
      description,
    })),
    paths,
    components: {
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description: `An access token (JWT) with \`sub\` and \`exp\`; \`name\` and \`scope\` are optional. ${GETTING_TOKENS}`,
        },
      },
      parameters: PARAMETERS,
      headers: HEADERS,
      schemas: byName(schemas),
      responses: { ...byName(shared.responses), ...ownResponses() },
      examples: problemExamples(codes),
    },
  };
}

/** Returns all codes that the routes can answer with, in the order of the error table. */
function documentedCodes(routes: readonly Route[]): ErrorCode[] {
  const reachable = new Set<ErrorCode>([...routes.flatMap(codesOf), ...FAULT_CODES]);
  return errorCodes().filter((code) => reachable.has(code));
}

function ownResponses(): Record<string, JsonSchema> {
  return {
    NotModified: {
      description: 'Nothing has changed since the answer with this `ETag`.',
      headers: headerRefs([...ALWAYS, 'ETag']),
    },
    Fault: problemResponse(FAULT_CODES, [...ALWAYS, 'Content-Language', 'Retry-After']),
  };
}

function byName(map: Map<string, JsonSchema>): Record<string, JsonSchema> {
  return Object.fromEntries([...map].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
