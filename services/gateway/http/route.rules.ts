import type { DeclaredRoute } from '../../../lib/contracts/service-api.ts';

/** An endpoint of the API, below API_BASE. */
export interface Route extends DeclaredRoute {
  /**
   * `ndjson`: one transfer per line, streamed. `statement`: JSON, CSV or PDF by `Accept`. `sheet`: PDF. `json`: one JSON
   * value.
   */
  answer: 'json' | 'ndjson' | 'statement' | 'sheet';
}

/** Whether the gateway reads a body. It does so even if the contract has no fields for it. */
export function takesBody({ method }: Route): boolean {
  return method === 'POST' || method === 'PUT' || method === 'PATCH';
}

/** Whether the route changes something and therefore accepts an `Idempotency-Key`. */
export function isWrite({ method }: Route): boolean {
  return method !== 'GET';
}

/** Whether answers are pages of a list. */
export function isList({ endpoint: { answer } }: Route): boolean {
  return answer.spec.kind === 'object' && Object.hasOwn(answer.spec.fields, 'next_cursor');
}

/** Whether an `If-None-Match` is honoured, as by reads of one resource. Clients seldom read a page of a list twice. */
export function takesIfNoneMatch(route: Route): boolean {
  return route.method === 'GET' && route.answer === 'json' && !isList(route);
}

/** Whether an `If-Match` is honoured. */
export function takesIfMatch({ method, endpoint }: Route): boolean {
  return method === 'PATCH' || endpoint.takes_if_match === true;
}

/** Whether answers have an `ETag`. A write that honours `If-Match` answers with the resource as GET does: the tag is of its new state. */
export function givesTag(route: Route): boolean {
  return takesIfNoneMatch(route) || takesIfMatch(route);
}
