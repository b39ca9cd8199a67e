/** What clients, subscribers and processes of another release rely on, in the form in which a release's fixture keeps it. */
import type { Command } from '../../../lib/contracts/action.ts';
import * as contribution from '../../../lib/contracts/contribution.ts';
import { CONSUMERS, STREAM } from '../../../lib/contracts/events.ts';
import * as governance from '../../../lib/contracts/governance.ts';
import * as membership from '../../../lib/contracts/membership.ts';
import * as treasury from '../../../lib/contracts/treasury.ts';
import { ERRORS } from '../../../lib/errors/codes.ts';
import { objectSchema, pascal, schemaOf, type Components, type JsonSchema } from '../../../lib/schema/json-schema.ts';
import { asyncApiDocument } from '../../../services/gateway/asyncapi/document.ts';
import { openApiDocument } from '../../../services/gateway/openapi/document.ts';
import { rolesOf, templateOf } from '../../../services/gateway/openapi/operation.rules.ts';
import { ROUTES } from '../../../services/gateway/routes.ts';

/** What the OpenAPI document does not say of an operation, or only in words. */
export interface OperationFacts {
  /** The service's action that the gateway calls. */
  action: string;
  /** Null if every member may call it. */
  roles: readonly string[] | null;
  scope: string | null;
  /** The day on which it ends, if that was announced. */
  sunset?: string;
}

/** The contracts that are in neither document. */
export interface InternalContracts {
  /** By method and path, for example `POST /associations`. */
  operations: Record<string, OperationFacts>;
  /** By name. Their schemas refer to `components`. */
  commands: Record<string, { input: JsonSchema; answer: JsonSchema }>;
  components: { schemas: Record<string, JsonSchema> };
  /** Durable name -> type of event. */
  consumers: Record<string, string>;
  stream: string;
  /** Error code -> status. */
  errors: Record<string, number>;
}

export interface Contracts {
  openapi: JsonSchema;
  asyncapi: JsonSchema;
  internal: InternalContracts;
}

/** Returns the contracts of this release. */
export function ownContracts(): Contracts {
  return {
    openapi: openApiDocument(ROUTES),
    asyncapi: asyncApiDocument(),
    internal: {
      operations: Object.fromEntries(
        ROUTES.map((route) => [`${route.method} ${templateOf(route.path)}`, facts(route)]),
      ),
      ...commandSchemas(),
      consumers: CONSUMERS,
      stream: STREAM,
      errors: Object.fromEntries(Object.entries(ERRORS).map(([code, { status }]) => [code, status])),
    },
  };
}

function facts({ endpoint }: (typeof ROUTES)[number]): OperationFacts {
  const { name: action, scope = null, deprecated } = endpoint;
  const sunset = deprecated?.sunset === undefined ? {} : { sunset: deprecated.sunset };
  return { action, roles: rolesOf(endpoint) ?? null, scope, ...sunset };
}

function commandSchemas(): Pick<InternalContracts, 'commands' | 'components'> {
  const schemas = new Map<string, JsonSchema>();
  const request: Components = { direction: 'request', schemas };
  const answer: Components = { direction: 'answer', schemas };
  const commands = [membership, contribution, treasury, governance]
    .flatMap((contracts) => Object.values(contracts as Record<string, unknown>))
    .filter(isCommand)
    .map((command) => {
      const name = pascal(command.name);
      const input = objectSchema(command.input, request, `${name}Input`);
      return [command.name, { input, answer: schemaOf(command.answer, answer, `${name}Answer`) }] as const;
    });
  return { commands: Object.fromEntries(commands), components: { schemas: Object.fromEntries(schemas) } };
}

function isCommand(exported: unknown): exported is Command {
  return (exported as { kind?: unknown } | null)?.kind === 'command';
}
