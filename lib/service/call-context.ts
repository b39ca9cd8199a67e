import type { Context } from 'moleculer';
import type { Caller } from '../contracts/action.ts';

/** Signed statements of who calls, for the services that a request may reach. */
export type Statements = Partial<Record<string, string>>;

/** The entity tags of an `If-Match`, of which weak ones match nothing; `*` stands for any state of an existing resource. */
export type IfMatch = '*' | readonly string[];

/** The metadata of every call. The gateway reads the answer's status and headers from the members that begin with `$`. */
export interface CallMeta {
  /** For processes of 0.1.0, which believe it. This release believes `statements`. */
  caller?: Caller;
  statements?: Statements | undefined;
  /**
   * The `Idempotency-Key` of a write with the request's method and path; once the owning service has claimed the key, also
   * its fingerprint, and the operation with which a repair stores the key again if that service has lost it.
   */
  idempotency?: { key: string; method: string; path: string; fingerprint?: string; operation_id?: string };
  /** The `If-Match` of a request that honours it: see preconditions.ts. */
  if_match?: IfMatch;
  /** The client's trace, or a new one (W3C Trace Context). */
  traceparent?: string;
  tracestate?: string;
  $statusCode?: number;
  $responseHeaders?: Record<string, string>;
}

/** What is known of a call in this process. It is not sent. */
export interface CallLocals {
  /** Those that came with the call: call() passes on the one for the service that it calls. */
  statements?: Statements | undefined;
  /** The id for what the request creates, chosen by the gateway. */
  operation_id?: string;
  /** The time of performance.now() at which the last copy of the call was sent, if any was (lib/transport/lost-messages.ts). */
  resent_ms?: number;
}

export type CallContext = Context<unknown, CallMeta, CallLocals>;
