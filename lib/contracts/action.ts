import type { ErrorCode } from '../errors/codes.ts';
import type { Field, Fields, Shapes, Value, Values } from '../schema/fields.ts';
import type { Permission } from './permissions.ts';

/** The chapters of the document. */
export const TAGS = [
  'Associations',
  'Members',
  'PINs',
  'Wallets',
  'Cycles',
  'Meetings',
  'Contributions',
  'Settlement',
  'Cash',
  'Treasury',
  'Ledger',
  'Governance',
] as const;
export type Tag = (typeof TAGS)[number];

/** What the document says of an endpoint beside its shape. The gateway's openapi/ derives the rest. */
export interface Explanation {
  readonly tag: Tag;
  /** A few words: what it does. */
  readonly summary: string;
  /** Markdown: what the summary and the fields leave open. */
  readonly description?: string;
  /** What the caller must be allowed to do in the association of the path; absent where his role is not asked. */
  readonly permission?: Permission;
  /** The scope that the token must have. */
  readonly scope?: string;
  /** Statuses of success beside `status`: 200 for what was there already, 202 while the outcome is unknown. */
  readonly also?: readonly (200 | 202)[];
  /** The codes that are special to it; those that follow from its shape and permission are derived. */
  readonly refuses?: readonly ErrorCode[];
  /** What the body looks like by one of its members. */
  readonly body_shapes?: Shapes;
  /** The PIN is what the request is about: an `Idempotency-Key` stands for one ciphertext. */
  readonly keyed_by_pin?: true;
  /** Codes that would follow from its shape, but that it never gives. */
  readonly never?: readonly ErrorCode[];
}

/** Requests and answers to show, where those made of the fields' examples would not make sense. */
export interface Examples<B, A> {
  readonly body?: B;
  readonly answer?: A;
  /** What a 202 shows. */
  readonly accepted?: A;
}

/** An action that the gateway maps a route onto. Requests come as path, query and body; answers follow `answer`. */
export interface Endpoint<
  P extends Fields = Fields,
  Q extends Fields = Fields,
  B extends Fields = Fields,
  A = unknown,
> extends Explanation {
  readonly kind: 'endpoint';
  /** `<service>.<action>`. */
  readonly name: string;
  readonly path: P;
  readonly query: Q;
  readonly body: B;
  /** How many members the body has at least, where no single one is required. */
  readonly body_min_members?: number;
  /** The status of a plain success; an action may override it, as for 200 in place of 201. */
  readonly status: 200 | 201 | 204;
  readonly answer: Field<A>;
  readonly examples: Examples<object, unknown>;
}

/** An action that only other services call. */
export interface Command<I extends Fields = Fields, A = unknown> {
  readonly kind: 'command';
  readonly name: string;
  readonly input: I;
  readonly answer: Field<A>;
  /** Whether a call changes nothing, so that it may be repeated on another node; absent where it always may change something. */
  reads?(input: Values<I>): boolean;
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
>(
  definition: Explanation & {
    name: string;
    path?: P;
    query?: Q;
    body?: B;
    body_min_members?: number;
    status?: 200 | 201 | 204;
    answer: Field<A>;
    examples?: Examples<Partial<Values<B>>, A>;
  },
): Endpoint<P, Q, B, A> {
  return {
    ...definition,
    kind: 'endpoint',
    path: definition.path ?? (NOTHING as P),
    query: definition.query ?? (NOTHING as Q),
    body: definition.body ?? (NOTHING as B),
    status: definition.status ?? 200,
    examples: definition.examples ?? {},
  };
}

/** For `reads` of a command that never changes anything. */
export const always = (): boolean => true;

/** Defines an internal action. */
export function command<I extends Fields, A>(definition: Omit<Command<I, A>, 'kind'>): Command<I, A> {
  return { kind: 'command', ...definition };
}

/** Who called the gateway, carried in the call's meta to every service. */
export interface Caller {
  user_id: string;
  /** The token's display name, if it has one. */
  name: string | null;
  scopes: string[];
}
