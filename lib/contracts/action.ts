import type { ErrorCode } from '../errors/codes.ts';
import * as t from './fields.ts';
import type { Permission, Role } from './permissions.ts';

/** The tags of the OpenAPI document. Further services declare their own. */
export const TAGS = [
  'Associations',
  'Members',
  'PINs',
  'Wallets',
  'Cycles',
  'Meetings',
  'Contributions',
  'Settlement',
  'Fines',
  'Cash',
  'Treasury',
  'Ledger',
  'Governance',
] as const;
export type Tag = (typeof TAGS)[number];

/** The announced end of an operation (docs/versions.md). Days are `YYYY-MM-DD`, and begin at 00:00 UTC. */
export interface Deprecation {
  /** The day from which clients should no longer use it. */
  readonly since: string;
  /** The day on which it ends, once that is certain: at least six months after `since`, and never brought forward. */
  readonly sunset?: string;
  /** The page that says what to use instead: a URL, or a path of this server such as `/docs#/Members/getOwnMembership`. */
  readonly link: string;
}

/** The declarations of an endpoint besides its fields. The gateway's openapi/ derives the rest of the document. */
interface Declaration {
  /** `<service>.<action>`. */
  readonly name: string;
  /** A few words that say what the action does. */
  readonly summary: string;
  /** Markdown with everything that the summary and the fields do not say. */
  readonly description?: string;
  /** The permission that the caller's role must include; absent if any user may call the action. */
  readonly permission?: Permission;
  /** The roles that may call it, for an action of a further service, which checks them itself. */
  readonly roles?: readonly Role[];
  /** Whether it is open to everyone: requests need no token, and the action gets no caller. */
  readonly open?: true;
  /** The scope that the token must have. */
  readonly scope?: string;
  /** Success statuses besides `status`: 200 for an object that existed already, 202 while the outcome is unknown. */
  readonly also?: readonly (200 | 202)[];
  /** The error codes of this action. Codes that follow from its fields and permission are derived. */
  readonly refuses?: readonly ErrorCode[];
  /** Derived codes that the action never answers with. */
  readonly never?: readonly ErrorCode[];
  /** The shapes of a body whose members depend on one of them. */
  readonly body_shapes?: t.Shapes;
  /** The minimum number of members in a body without required members. */
  readonly body_min_members?: number;
  /** The size of the largest body, if that is more than the 64 KiB of other requests. The description says so. */
  readonly body_max_kib?: number;
  /** Set if the PIN is the content of the request, so that an `Idempotency-Key` belongs to one ciphertext. */
  readonly keyed_by_pin?: true;
  /**
   * The defaults of members of the body that 0.1.0 did not have. Requests with them have the same fingerprint as without these
   * members, so that a request can be repeated with its `Idempotency-Key` after an upgrade.
   */
  readonly added_defaults?: object;
  /** Set if `If-Match` is honoured, as every PATCH does without this. */
  readonly takes_if_match?: true;
  /** Set once another operation replaces it. */
  readonly deprecated?: Deprecation;
}

/** Examples of requests and answers, where those built from the examples of the fields would not be consistent. */
export interface Examples<B, A> {
  readonly body?: B;
  readonly answer?: A;
  /** The answer of a 202. An endpoint with this example can answer 202. */
  readonly accepted?: A;
}

/** A public action, to which the gateway routes a path. A request consists of path, query and body. */
export interface Endpoint<
  P extends t.Fields = t.Fields,
  Q extends t.Fields = t.Fields,
  B extends t.Fields = t.Fields,
  A = unknown,
> extends Declaration {
  readonly kind: 'endpoint';
  readonly tag: string;
  readonly path: P;
  readonly query: Q;
  readonly body: B;
  /** The usual success status. An action may use one of `also` instead. */
  readonly status: 200 | 201 | 204;
  readonly answer: t.Field<A>;
  readonly examples: Examples<object, unknown>;
}

/** An internal action, which only other services call. */
export interface Command<I extends t.Fields = t.Fields, A = unknown> {
  readonly kind: 'command';
  readonly name: string;
  readonly input: I;
  readonly answer: t.Field<A>;
  /**
   * Whether a call with this input only reads, so that it may be repeated on another node. If absent, every call
   * writes.
   */
  reads?(input: t.Values<I>): boolean;
  /** Set if a call acts for a user: it then needs the gateway's statement that they have called (ADR 29). */
  readonly acts_for?: ActsFor<t.Values<I>>;
}

/** For which user a command acts, and where. */
export interface ActsFor<Input> {
  /** The user in the input; null if this call is in the calling service's own name. */
  user(input: Input): string | null;
  /** Whether the user's request for this public action may include the command; without `input`, with some input. */
  within(action: string, input?: Input): boolean;
  /** The operation that the call belongs to, if it may be repeated long after the user's request. */
  operation_id?(input: Input): string;
}

export type EndpointInput<E> =
  E extends Endpoint<infer P, infer Q, infer B, unknown>
    ? { path: t.Values<P>; query: t.Values<Q>; body: t.Values<B> }
    : never;
export type CommandInput<C> = C extends Command<infer I, unknown> ? t.Values<I> : never;
export type Answer<T> = T extends { readonly answer: infer F } ? t.Value<F> : never;

const NOTHING = {} as const;

/** The empty answer. */
export const nothing = t.object(NOTHING);

/** Returns the function that defines the public actions of one tag. `Code` are error codes that only the service has. */
export function chapter<Code extends string = never>(tag: string) {
  return function endpoint<
    A,
    P extends t.Fields = typeof NOTHING,
    Q extends t.Fields = typeof NOTHING,
    B extends t.Fields = typeof NOTHING,
  >(
    definition: Omit<Declaration, 'refuses'> & {
      refuses?: readonly (ErrorCode | Code)[];
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
    // The type of codes has only those of lib/errors.
    return { ...(definition as Declaration & { answer: t.Field<A> }), ...derived, kind: 'endpoint', tag };
  };
}

/** The value of `reads` for a command that never writes. */
export const always = (): boolean => true;

/** Defines an internal action. */
export function command<I extends t.Fields, A>(definition: Omit<Command<I, A>, 'kind'>): Command<I, A> {
  return { kind: 'command', ...definition };
}

/** Defines the command with which the gateway checks whether a service is ready. */
export const healthCommand = <S extends string>(service: S) =>
  command({
    name: `${service}.health`,
    input: {},
    answer: t.object({ ok: t.boolean(), delayed_events: t.optional(t.boolean()) }),
  });

/** The user who called the gateway. Every call passes them on in its meta. */
export interface Caller {
  user_id: string;
  /** The `name` claim of the token; null if there is none. */
  name: string | null;
  scopes: string[];
}
