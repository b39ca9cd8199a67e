import type { Field, Fields, Value, Values } from '../schema/fields.ts';

/** An action that the gateway maps a route onto. Requests come as path, query and body; answers follow `answer`. */
export interface Endpoint<
  P extends Fields = Fields,
  Q extends Fields = Fields,
  B extends Fields = Fields,
  A = unknown,
> {
  readonly kind: 'endpoint';
  /** `<service>.<action>`. */
  readonly name: string;
  readonly path: P;
  readonly query: Q;
  readonly body: B;
  /** The status of a plain success; an action may override it, as for 200 in place of 201. */
  readonly status: 200 | 201 | 204;
  readonly answer: Field<A>;
}

/** An action that only other services call. */
export interface Command<I extends Fields = Fields, A = unknown> {
  readonly kind: 'command';
  readonly name: string;
  readonly input: I;
  readonly answer: Field<A>;
}

export type EndpointInput<E> =
  E extends Endpoint<infer P, infer Q, infer B, unknown>
    ? { path: Values<P>; query: Values<Q>; body: Values<B> }
    : never;
export type CommandInput<C> = C extends Command<infer I, unknown> ? Values<I> : never;
export type Answer<T> = T extends { readonly answer: infer F } ? Value<F> : never;

const NOTHING = {} as const;

/** Defines a public action. */
export function endpoint<
  A,
  P extends Fields = typeof NOTHING,
  Q extends Fields = typeof NOTHING,
  B extends Fields = typeof NOTHING,
>(definition: {
  name: string;
  path?: P;
  query?: Q;
  body?: B;
  status?: 200 | 201 | 204;
  answer: Field<A>;
}): Endpoint<P, Q, B, A> {
  return {
    kind: 'endpoint',
    name: definition.name,
    path: definition.path ?? (NOTHING as P),
    query: definition.query ?? (NOTHING as Q),
    body: definition.body ?? (NOTHING as B),
    status: definition.status ?? 200,
    answer: definition.answer,
  };
}

/** Defines an internal action. */
export function command<I extends Fields, A>(definition: { name: string; input: I; answer: Field<A> }): Command<I, A> {
  return { kind: 'command', ...definition };
}

/** Who called the gateway, carried in the call's meta to every service. */
export interface Caller {
  user_id: string;
  /** The token's display name, if it has one. */
  name: string | null;
  scopes: string[];
}
