import { setTimeout as sleep } from 'node:timers/promises';
import { API_BASE } from '../../lib/contracts/api.ts';
import type { Json } from '../harness/http.ts';
import { sealPin, type PublicKey } from '../harness/pins.ts';
import type { Random } from '../harness/random.ts';

/** Longer than a gateway takes for any answer (11.8 s), also over a slow link: a client that repeats sooner is not covered (ADR 28). */
const ANSWER_MAX_MS = 15_000;
/** Much longer than the faults of a run and recovery: a request without a definite answer breaks a rule. */
const PATIENCE_MS = 60_000;
const REPEAT_MIN_MS = 50;
const REPEAT_MAX_MS = 250;

/** A request as it is sent. */
export interface Request {
  user: string;
  method: string;
  path: string;
  body: Json | undefined;
  headers: Record<string, string>;
}

export interface Answer {
  status: number;
  headers: Headers;
  body: Json;
  text: string;
}

/** Sends a request once. @throws if there is no answer: the outcome is unknown */
export type Send = (request: Request) => Promise<Answer>;

/** What a client knows about a request at its end. */
export interface Outcome extends Partial<Answer> {
  request: Request;
  /** The `X-Request-Id` of all its attempts, which its events have too. */
  request_id: string;
  /** Whether it succeeded; undefined if the client does not know. */
  isDone: boolean | undefined;
  /** When the first attempt began, and when the last answer arrived. */
  began_ms: number;
  ended_ms: number;
  /** The attempts before the last one: what was answered, and after how long. */
  failed_attempts: string[];
}

export interface Wanted {
  /** Whether the PIN is sealed into the body. */
  pin?: string;
  body?: Json;
  isKeyed?: boolean;
  headers?: Record<string, string>;
}

/** Every such keyed success is repeated, as by a client that has lost the answer. */
const REPEATED_ONE_IN = 8;

/** A person's app: it sends one request after another, and repeats a keyed one until its answer is definite. */
export interface Client {
  readonly user: string;
  request(method: string, path: string, wanted?: Wanted): Promise<Outcome>;
  seal(pin: string): Promise<string>;
}

export interface ClientOptions {
  user: string;
  token: string;
  /** The addresses of the gateways; each attempt chooses one. */
  origins: readonly string[];
  random: Random;
  /** Wraps the function that sends a request: each one passes here. */
  record: (send: Send) => Send;
  /** Called with what must not happen, such as another answer to a repeat. */
  complain: (what: string) => void;
}

export function createClient({ user, token, origins, random, record, complain }: ClientOptions): Client {
  const send = record((request) => sendTo(random.pick(origins), token, request));
  let keys: PublicKey[] = [];
  let next_id = 0;

  /** Sends a request until its answer is definite. */
  async function repeat(request: Request, isRepeatable: boolean): Promise<Outcome> {
    const request_id = request.headers['X-Request-Id'] ?? '';
    const began_ms = performance.now();
    const isGivenUp = () => performance.now() > began_ms + PATIENCE_MS;
    const failed_attempts: string[] = [];
    for (;;) {
      const sent_ms = performance.now();
      let fault = '';
      const answer = await send(request).catch((error: Error) => {
        fault = `: ${((error.cause ?? error) as Error).message}`;
        return undefined;
      });
      const status = answer?.status ?? 0;
      const answered_id = answer?.headers.get('x-request-id') ?? null;
      if (answered_id !== null && answered_id !== request_id)
        complain(`${wordsOf(request)} was answered like ${answered_id}`);
      // What a fault makes fail is 503; 500 is an error that the services do not know.
      if (status === 500) complain(`${wordsOf(request)}: ${textOf(answer)}`);
      const isDefinite = status >= 200 && status < 500 && !mayChange(answer);
      if (isDefinite || !isRepeatable || isGivenUp()) {
        if (!isDefinite && isRepeatable)
          complain(`${wordsOf(request)} failed ${String(failed_attempts.length + 1)} times: ${textOf(answer)}`);
        const isDone =
          status === 202 ? await followed(request, answer, isGivenUp) : isDefinite ? status < 300 : undefined;
        return { ...answer, request, request_id, isDone, began_ms, ended_ms: performance.now(), failed_attempts };
      }
      failed_attempts.push(`${textOf(answer)}${fault} after ${(performance.now() - sent_ms).toFixed(0)} ms`);
      await pause();
    }
  }

  /** Waits for the outcome of a request that was accepted. */
  async function followed(
    request: Request,
    accepted: Answer | undefined,
    isGivenUp: () => boolean,
  ): Promise<boolean | undefined> {
    const location = accepted?.headers.get('location') ?? '';
    const path = location.slice(location.indexOf(API_BASE) + API_BASE.length);
    // A fine shows what all payments have paid together.
    if (path.includes('/fines/')) return undefined;
    const headers = { 'X-Request-Id': `${request.headers['X-Request-Id'] ?? ''}-outcome` };
    for (;;) {
      const answer = await send({ user, method: 'GET', path, body: undefined, headers }).catch(() => undefined);
      const { status = 0, body } = answer ?? {};
      if (status === 200 && DONE.has(body?.status)) return true;
      if (status === 200 && UNDONE.has(body?.status)) return false;
      // A settlement that was given up is not there any more. Others are not visible after the end of a membership.
      if (status === 404) return path.endsWith('/settlement') ? false : undefined;
      if (isGivenUp()) {
        complain(`${wordsOf(request)} was accepted, and stays undecided: ${textOf(answer)}`);
        return undefined;
      }
      await pause();
    }
  }

  const pause = () => sleep(random.between(REPEAT_MIN_MS, REPEAT_MAX_MS));

  /** Repeats a keyed request that has succeeded: the answer must be the same. */
  async function repeatSuccess(request: Request, first: Outcome): Promise<void> {
    const again = await repeat(request, true);
    const isSame = again.status === first.status && again.text === first.text;
    if (again.isDone === undefined || (isSame && again.headers?.get('idempotency-replayed') === 'true')) return;
    complain(`${wordsOf(request)} was repeated: ${textOf(first)}, then ${textOf(again)}`);
  }

  const client: Client = {
    user,
    async seal(pin) {
      if (keys.length === 0) keys = (await client.request('GET', '/keys/pin')).body?.keys as PublicKey[];
      return sealPin(keys[0]!, pin);
    },
    async request(method, path, { pin, body, isKeyed = true, headers = {} } = {}) {
      const whole = pin === undefined ? body : { ...body, pin: await client.seal(pin) };
      const isKeyedWrite = method !== 'GET' && isKeyed;
      next_id += 1;
      const id = `${user}-${String(next_id)}`;
      const own = { 'X-Request-Id': id, ...(isKeyedWrite ? { 'Idempotency-Key': id } : {}) };
      const request = { user, method, path, body: whole, headers: { ...headers, ...own } };
      const outcome = await repeat(request, method === 'GET' || isKeyed);
      if (isKeyedWrite && outcome.isDone === true && random.oneIn(REPEATED_ONE_IN))
        await repeatSuccess(request, outcome);
      return outcome;
    },
  };
  return client;
}

/** Statuses of objects whose request was accepted with 202, once it is decided. */
const DONE = new Set<unknown>(['paid', 'reversed', 'settled', 'cancelled']);
const UNDONE = new Set<unknown>(['failed', 'open']);

function wordsOf({ method, path, user }: Request): string {
  return `${method} ${path} of ${user}`;
}

function textOf(answer: Partial<Answer> | undefined): string {
  return answer?.status === undefined ? 'no answer' : `${String(answer.status)} ${answer.text ?? ''}`;
}

/** Whether a refusal may be followed by another answer to the same request. */
function mayChange(answer: Answer | undefined): boolean {
  return answer?.status === 429 || answer?.body.code === 'idempotency_in_flight';
}

async function sendTo(origin: string, token: string, { method, path, body, headers }: Request): Promise<Answer> {
  const response = await fetch(`${origin}${API_BASE}${path}`, {
    method,
    headers: {
      Authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(ANSWER_MAX_MS),
  });
  const text = await response.text();
  const isJson = /\/(problem\+)?json(;|$)/.test(response.headers.get('content-type') ?? '') && text !== '';
  return { status: response.status, headers: response.headers, text, body: isJson ? (JSON.parse(text) as Json) : {} };
}
