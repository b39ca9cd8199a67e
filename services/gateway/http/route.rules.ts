import type { Endpoint } from '../../../lib/contracts/action.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** An endpoint of the API, below API_BASE. */
export interface Route {
  method: Method;
  /** Segments that begin with a colon are the members of the contract's `path`. */
  path: string;
  endpoint: Endpoint;
  /** Whether it is answered without a token. */
  open: boolean;
  /** `ndjson`: one transfer a line, streamed. `statement`: JSON, CSV or PDF by `Accept`. All else is one JSON value. */
  answer: 'json' | 'ndjson' | 'statement';
}

/** Whether the gateway reads a body: so it does even if the contract has no fields for it. */
export function takesBody({ method }: Route): boolean {
  return method === 'POST' || method === 'PUT' || method === 'PATCH';
}

/** Whether the route changes something, and so honours an `Idempotency-Key`. */
export function isWrite({ method }: Route): boolean {
  return method !== 'GET';
}

/** Whether answers are pages of a list. */
export function isList({ endpoint: { answer } }: Route): boolean {
  return answer.spec.kind === 'object' && Object.hasOwn(answer.spec.fields, 'next_cursor');
}

/** Whether answers carry an `ETag`: reads of one thing. A page of a list is read once, on the way to the next one. */
export function givesTag(route: Route): boolean {
  return route.method === 'GET' && route.answer === 'json' && !isList(route);
}
