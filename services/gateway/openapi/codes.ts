/** Which error codes an operation can give: those its contract names, and those that follow from its shape. */
import type { Endpoint } from '../../../lib/contracts/action.ts';
import { PERMISSION_TABLE, ROLES } from '../../../lib/contracts/permissions.ts';
import { ERRORS } from '../../../lib/errors/codes.ts';
import type { ErrorCode } from '../../../lib/errors/codes.ts';
import type { Route } from '../routes.ts';

/** Whatever the operation, these mean that something is wrong on our side. */
export const FAULT_CODES = ['internal_error', 'service_unavailable', 'outcome_unknown'] as const;

/** Whether the gateway reads a body: so it does even if no field may be in it. */
export function takesBody({ method }: Route): boolean {
  return method === 'POST' || method === 'PUT' || method === 'PATCH';
}

/** Whether it changes something, and so honours an `Idempotency-Key`. */
export function isWrite({ method }: Route): boolean {
  return method !== 'GET';
}

/** The codes that an operation can give, in the order of refusals (contract, section 1), without faults of ours. */
export function codesOf(route: Route): ErrorCode[] {
  const { endpoint, open } = route;
  const { refuses = [], never = [], scope } = endpoint;
  const when = (condition: boolean, ...codes: ErrorCode[]) => (condition ? codes : []);
  const codes = new Set<ErrorCode>([
    ...when(!open, 'token_missing', 'token_invalid', 'token_expired'),
    'rate_limited',
    ...when(takesBody(route), 'body_too_large', 'unsupported_media_type', 'malformed_json'),
    // Every operation refuses unknown query parameters.
    'validation_failed',
    ...when(isWrite(route), 'idempotency_key_reused', 'idempotency_in_flight'),
    ...when(Object.keys(endpoint.path).length > 0, 'not_found'),
    ...when(scope !== undefined, 'insufficient_scope'),
    ...when(rolesOf(endpoint) !== undefined, 'role_not_allowed'),
    ...when(hasAmount(endpoint), 'amount_precision'),
    ...when(needsPin(endpoint), 'pin_invalid', 'pin_unreadable', 'pin_replayed', 'pin_locked', 'pin_not_set'),
    ...when(endpoint.permission !== undefined && PERMISSION_TABLE[endpoint.permission].write, 'association_closed'),
    ...refuses,
  ]);
  return [...codes].filter((code) => !never.includes(code));
}

/** The same by status, the lowest first. */
export function codesByStatus(route: Route): Map<number, ErrorCode[]> {
  const groups = Map.groupBy(codesOf(route), (code) => ERRORS[code].status);
  return new Map([...groups].toSorted(([a], [b]) => a - b));
}

/** The roles that may call it; undefined where every member may. */
export function rolesOf({ permission }: Endpoint): readonly string[] | undefined {
  if (permission === undefined) return undefined;
  const { roles } = PERMISSION_TABLE[permission];
  return roles.length < ROLES.length ? roles : undefined;
}

function hasAmount({ body }: Endpoint): boolean {
  return Object.values(body).some(({ spec }) => spec.kind === 'amount');
}

function needsPin({ body }: Endpoint): boolean {
  return body.pin?.component === 'SealedPin';
}
