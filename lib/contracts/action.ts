import type { ErrorCode } from '../errors/codes.ts';
import * as t from './fields.ts';
import type { Permission } from './permissions.ts';

/** The chapters of the OpenAPI document. */
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

/** What an endpoint declares beside its fields. The gateway's openapi/ derives the rest of the document. */
interface Declaration {
  /** `<service>.<action>`. */
  readonly name: string;
  /** A few words: what it does. */
  readonly summary: string;
  /** Markdown: what the summary and the fields do not say. */
  readonly description?: string;
  /** What the caller's role in the association of the path must permit; absent where the role does not matter. */
  readonly permission?: Permission;
  /** Whether it is open to everyone: requests need no token, and the action gets no caller. */
  readonly open?: true;
  /** The scope that the token must have. */
  readonly scope?: string;
  /** Statuses of success beside `status`: 200 for an object that existed already, 202 while the outcome is unknown. */
  readonly also?: readonly (200 | 202)[];
  /** Its own error codes; those that follow from its fields and permission are derived. */
  readonly refuses?: readonly ErrorCode[];
  /** The codes among the derived ones that it never gives. */
  readonly never?: readonly ErrorCode[];
  /** The forms of a body that depends on one of its members. */
  readonly body_shapes?: t.Shapes;
  /** The least number of members in the body, where no single one is required. */
  readonly body_min_members?: number;
  /** The PIN is the content of the request: an `Idempotency-Key` belongs to one ciphertext. */
  readonly keyed_by_pin?: true;
}

/** Requests and answers to show, where those built from the fields' examples would not make sense. */
export interface Examples<B, A> {
  readonly body?: B;
  readonly answer?: A;
  /** The answer of a 202; an endpoint that has one can answer 202. */
  readonly accepted?: A;
}

/** A public action: the gateway routes a path to it. A request has path, query and body; the answer is as `answer`. */
export interface Endpoint<
  P extends t.Fields = t.Fields,
  Q extends t.Fields = t.Fields,
  B extends t.Fields = t.Fields,
  A = unknown,
> extends Declaration {
  readonly kind: 'endpoint';
  readonly tag: Tag;
  readonly path: P;
  readonly query: Q;
  readonly body: B;
  /** The usual status of success; an action may answer one of `also` instead. */
  readonly status: 200 | 201 | 204;
  readonly answer: t.Field<A>;
  readonly examples: Examples<object, unknown>;
}

/** An internal action: only other services call it. */
export interface Command<I extends t.Fields = t.Fields, A = unknown> {
  readonly kind: 'command';
  readonly name: string;
  readonly input: I;
  readonly answer: t.Field<A>;
  /** Whether a call with this input only reads, so that it may be repeated on another node; absent: none does. */
  reads?(input: t.Values<I>): boolean;
}

export type EndpointInput<E> =
  E extends Endpoint<infer P, infer Q, infer B, unknown>
    ? { path: t.Values<P>; query: t.Values<Q>; body: t.Values<B> }
    : never;
export type CommandInput<C> = C extends Command<infer I, unknown> ? t.Values<I> : never;
export type Answer<T> = T extends { readonly answer: infer F } ? t.Value<F> : never;

const NOTHING = {} as const;

/** The answer of an action that has nothing to say. */
export const nothing = t.object(NOTHING);

/** Gives the function that defines the public actions of one chapter. */
export function chapter(tag: Tag) {
  return function endpoint<
    A,
    P extends t.Fields = typeof NOTHING,
    Q extends t.Fields = typeof NOTHING,
    B extends t.Fields = typeof NOTHING,
  >(
    definition: Declaration & {
      path?: P;
      query?: Q;
      body?: B;
      status?: 200 | 201 | 204;
      answer: t.Field<A>;
      examples?: Examples<Partial<t.Values<B>>, A>;
    },
  ): Endpoint<P, Q, B, A> {
    const { path = NOTHING as P, query = NOTHING as Q, body = NOTHING as B, status = 200, examples = {} } = definition;
    const also = examples.accepted === undefined ? definition.also : [...(definition.also ?? []), 202 as const];
    const derived = { ...(also === undefined ? {} : { also }), path, query, body, status, examples };
    return { ...definition, ...derived, kind: 'endpoint', tag };
  };
}

/** For `reads` of a command that never changes anything. */
export const always = (): boolean => true;

/** Defines an internal action. */
export function command<I extends t.Fields, A>(definition: Omit<Command<I, A>, 'kind'>): Command<I, A> {
  return { kind: 'command', ...definition };
}

/** The command by which the gateway asks whether a service is ready. */
export const healthCommand = <S extends string>(service: S) =>
  command({
    name: `${service}.health`,
    input: {},
    answer: t.object({ ok: t.boolean(), delayed_events: t.optional(t.boolean()) }),
  });

/** The user who called the gateway. Every call carries it in its meta. */
export interface Caller {
  user_id: string;
  /** The `name` of the token, if it has one. */
  name: string | null;
  scopes: string[];
}
