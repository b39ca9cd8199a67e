/** Derives from a route and its contract: names in the OpenAPI document, error codes and roles. */
import type { Endpoint } from '../../../lib/contracts/action.ts';
import { PERMISSION_TABLE, ROLES } from '../../../lib/contracts/permissions.ts';
import { errorEntry, type ErrorCode } from '../../../lib/errors/codes.ts';
import { pascal } from '../../../lib/schema/json-schema.ts';
import { isWrite, takesBody, takesIfMatch, type Route } from '../http/route.rules.ts';

/** Returns the id of an operation: `contribution.start_cycle` -> `startCycle`. */
export function operationIdOf(actionName: string): string {
  const [, action = ''] = actionName.split('.');
  return action.replace(/_(\w)/g, (_match, letter: string) => letter.toUpperCase());
}

/** Returns the path template: `/associations/:association_id` -> `/associations/{association_id}`. */
export function templateOf(path: string): string {
  return path.replace(/:(\w+)/g, '{$1}');
}

/**
 * Returns the name of a schema: `contribution.get_cycle` and `Answer` -> `GetCycleAnswer`. Parameters are named in the
 * same way.
 */
export function schemaNameOf(actionName: string, what: string): string {
  return `${pascal(actionName.split('.')[1] ?? '')}${what}`;
}

/** Server errors, with which every operation can answer. */
export const FAULT_CODES = ['internal_error', 'service_unavailable', 'overloaded', 'outcome_unknown'] as const;

/**
 * Returns the codes that an operation can answer with, in the order of refusals (docs/architecture.md): those that
 * follow from its shape and those in its contract, without FAULT_CODES.
 */
export function codesOf(route: Route): ErrorCode[] {
  const { endpoint } = route;
  const { refuses = [], never = [], scope } = endpoint;
  const when = (condition: boolean, ...codes: ErrorCode[]) => (condition ? codes : []);
  const codes = new Set<ErrorCode>([
    ...when(endpoint.open !== true, 'token_missing', 'token_invalid', 'token_expired'),
    'rate_limited',
    ...when(takesBody(route), 'body_too_large', 'unsupported_media_type', 'malformed_json'),
    // Every operation refuses unknown query parameters.
    'validation_failed',
    ...when(isWrite(route), 'idempotency_key_reused', 'idempotency_in_flight'),
    ...when(Object.keys(endpoint.path).length > 0, 'not_found'),
    ...when(scope !== undefined, 'insufficient_scope'),
    ...when(rolesOf(endpoint) !== undefined, 'role_not_allowed'),
    ...when(takesIfMatch(route), 'precondition_failed'),
    ...when(hasAmount(endpoint), 'amount_precision'),
    ...when(needsPin(endpoint), 'pin_invalid', 'pin_unreadable', 'pin_replayed', 'pin_locked', 'pin_not_set'),
    ...when(endpoint.permission !== undefined && PERMISSION_TABLE[endpoint.permission].write, 'association_closed'),
    ...refuses,
  ]);
  return [...codes].filter((code) => !never.includes(code));
}

/** Groups the codes of an operation by status, lowest first. */
export function codesByStatus(route: Route): Map<number, ErrorCode[]> {
  const groups = Map.groupBy(codesOf(route), (code) => errorEntry(code).status);
  return new Map([...groups].toSorted(([a], [b]) => a - b));
}

/** Returns the roles that may call the endpoint, or undefined if every member may. */
export function rolesOf({ permission, roles: own }: Endpoint): readonly string[] | undefined {
  if (permission === undefined) return own;
  const { roles } = PERMISSION_TABLE[permission];
  return roles.length < ROLES.length ? roles : undefined;
}

function hasAmount({ body }: Endpoint): boolean {
  return Object.values(body).some(({ spec }) => spec.kind === 'amount');
}

function needsPin({ body }: Endpoint): boolean {
  return body.pin?.component === 'SealedPin';
}
