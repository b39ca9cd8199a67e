/** Sends one request to an endpoint. */
import http from 'node:http';
import https from 'node:https';
import type { LookupFunction } from 'node:net';
import { NOT_ALLOWED } from '../addresses/public-lookup.ts';
import { urlRefusal } from '../addresses/url.rules.ts';
import type { Exchange, SendError } from './outcome.rules.ts';

/** For all of it: name, connection, TLS, request and answer. */
const EXCHANGE_TIMEOUT_MS = 15_000;

/** The body of an answer means nothing, and is read only so that the connection can be used again. */
const ANSWER_MAX_BYTES = 4 * 1024;
const ANSWER_BODY_TIMEOUT_MS = 1_000;

/** Below the 5 s after which many servers close idle connections, Node's among them. */
const IDLE_MAX_MS = 4_000;
/** Per endpoint. More are opened while they are in use. */
const IDLE_MAX_CONNECTIONS = 4;

const USER_AGENT = 'association-service-webhooks/1';
/** The media type of an event in JSON (CloudEvents 1.0, structured mode). */
const CONTENT_TYPE = 'application/cloudevents+json; charset=utf-8';

/** A request that is ready to be sent. */
export interface Message {
  url: string;
  headers: Record<string, string>;
  body: string;
}

export interface Poster {
  /**
   * Sends a message, and never throws. It ends once the connection is free or closed, which a body may delay after the head of the
   * answer: `duration_ms` is the time to the head.
   */
  post(message: Message): Promise<Exchange>;
  /** Ends all requests, as timeouts, and closes the idle connections. */
  close(): void;
}

export interface PosterOptions {
  /** Whether http and every address are allowed, outside production. */
  allows_private: boolean;
  /** Resolves and checks hosts. Without one, the system's, for private addresses. */
  lookup?: LookupFunction | undefined;
  /** Tests shorten it. */
  timeout_ms?: number;
  /** The authorities that are trusted besides those of Node, for tests. */
  ca?: string;
}

/** Returns the client for all endpoints. Redirects are answers like any other, and are not followed. */
export function createPoster(options: PosterOptions): Poster {
  const { allows_private, lookup, timeout_ms = EXCHANGE_TIMEOUT_MS, ca } = options;
  const settings = { keepAlive: true, maxFreeSockets: IDLE_MAX_CONNECTIONS, timeout: IDLE_MAX_MS };
  const agents = { 'http:': new http.Agent(settings), 'https:': new https.Agent(settings) };
  const fresh = { 'http:': new http.Agent(), 'https:': new https.Agent() };
  const running = new Set<AbortController>();

  /**
   * Ends once the body of the answer has ended or was cut, as its connection counts as one of the limited requests until then.
   * @returns `stale` if an idle connection was closed by the server before the request reached it
   */
  function exchange({ url, headers, body }: Message, pool: typeof agents, signal: AbortSignal): Promise<Answer> {
    const target = new URL(url);
    const protocol = target.protocol === 'http:' ? 'http:' : 'https:';
    const { promise, resolve } = Promise.withResolvers<Answer>();
    const request = (protocol === 'http:' ? http : https).request(target, {
      method: 'POST',
      agent: pool[protocol],
      headers: {
        ...headers,
        'content-type': CONTENT_TYPE,
        'content-length': Buffer.byteLength(body),
        'user-agent': USER_AGENT,
      },
      signal,
      ...(lookup === undefined ? {} : { lookup }),
      ...(ca === undefined ? {} : { ca }),
    });
    let hasHead = false;
    request.on('response', (response) => {
      hasHead = true;
      const { statusCode: status_code = 0, headers } = response;
      const answer = { status_code, retry_after: headers['retry-after'], head_at_ms: performance.now() };
      dropBody(response, () => resolve(answer));
    });
    request.on('error', (error) => {
      if (hasHead) return;
      const isStale = request.reusedSocket && codeOf(error) === 'ECONNRESET' && !signal.aborted;
      resolve(isStale ? 'stale' : { error: signal.aborted ? 'timeout' : sendErrorOf(error) });
    });
    // For an answer that switches protocols, there is neither a response nor an error.
    request.on('close', () => {
      if (!hasHead) resolve({ error: 'connection_failed' });
    });
    request.end(body);
    return promise;
  }

  return {
    async post(message) {
      const began_ms = performance.now();
      // The URL was checked when it was saved, perhaps by an older release or with other settings.
      if (urlRefusal(message.url, { allows_private }) !== undefined) {
        return ended(began_ms, { error: 'address_not_allowed' });
      }
      const end = new AbortController();
      running.add(end);
      const timer = setTimeout(() => end.abort(), timeout_ms);
      try {
        let answer = await exchange(message, agents, end.signal);
        if (answer === 'stale') answer = await exchange(message, fresh, end.signal);
        return ended(began_ms, answer === 'stale' ? { error: 'connection_reset' } : answer);
      } finally {
        clearTimeout(timer);
        running.delete(end);
      }
    },
    close() {
      for (const end of running) end.abort();
      for (const agent of [...Object.values(agents), ...Object.values(fresh)]) agent.destroy();
    },
  };
}

interface Head {
  status_code: number;
  retry_after: string | undefined;
  /** When it arrived, by performance.now(). */
  head_at_ms: number;
}

type Answer = 'stale' | Head | { error: SendError };

function ended(began_ms: number, answer: Exclude<Answer, 'stale'>): Exchange {
  if ('error' in answer) return { status_code: null, ...answer, duration_ms: Math.round(performance.now() - began_ms) };
  const { head_at_ms, ...head } = answer;
  return { ...head, error: null, duration_ms: Math.round(head_at_ms - began_ms) };
}

/**
 * Reads a short body to its end, and closes the connection of any other.
 * @param done is called once the connection is free or closed
 */
function dropBody(response: http.IncomingMessage, done: () => void): void {
  let bytes = 0;
  const timer = setTimeout(() => response.destroy(), ANSWER_BODY_TIMEOUT_MS);
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > ANSWER_MAX_BYTES) response.destroy();
  });
  response.on('error', () => undefined);
  response.on('close', () => {
    clearTimeout(timer);
    done();
  });
}

function codeOf(error: unknown): string {
  return String((error as { code?: unknown } | null)?.code);
}

/** The codes of Node, OpenSSL and c-ares, by what they mean. */
const SEND_ERROR_CODES: readonly (readonly [SendError, RegExp])[] = [
  ['address_not_allowed', new RegExp(`^${NOT_ALLOWED}$`)],
  ['connection_refused', /^ECONNREFUSED$/],
  ['connection_reset', /^(ECONNRESET|EPIPE)$/],
  ['timeout', /^(ETIMEDOUT|ABORT_ERR)$/],
  ['host_unreachable', /^(EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL)$/],
  ['dns_failed', /^(ENOTFOUND|ENODATA|EAI_.*|ESERVFAIL|ETIMEOUT|EREFUSED|EBADRESP|EBADNAME|ECANCELLED)$/],
  ['tls_failed', /CERT|TLS|SSL|UNABLE_TO_|SELF_SIGNED|EPROTO/],
];

/** Returns a word for an error, without the addresses and names in its message. */
function sendErrorOf(error: unknown): SendError {
  // Several addresses were tried: the first failure stands for all.
  const first = error instanceof AggregateError ? (error.errors as unknown[])[0] : error;
  const code = codeOf(first);
  return SEND_ERROR_CODES.find(([, codes]) => codes.test(code))?.[0] ?? 'connection_failed';
}
