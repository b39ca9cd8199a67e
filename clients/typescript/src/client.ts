import createClient from 'openapi-fetch';
import type { Client } from 'openapi-fetch';
import { answered } from './problem.ts';
import { DEFAULT_RETRIES, retryingFetch } from './retry.ts';
import type { Retries } from './retry.ts';
import type { paths } from './schema.ts';
import { pinSealer } from './pins.ts';
import type { PinKey } from './seal-pin.ts';

/** The path of the API below the root of the server. */
const API_BASE = '/association-service/api/v1';

export interface ClientOptions {
  /** The root of the server, such as `https://example.org`. */
  origin: string;
  /** The access token, or a function that returns a valid one before each request. */
  token: string | (() => string | Promise<string>);
  /** The language of problems and statements. */
  language?: 'en' | 'fr';
  retries?: Partial<Retries>;
  /** Replaces the global `fetch`. */
  fetch?: (request: Request) => Promise<Response>;
}

/** Calls the API with types (`GET`, `POST`, `PUT`, `PATCH`, `DELETE` by path), and encrypts PINs. */
export interface AssociationClient extends Client<paths> {
  /**
   * Encrypts a PIN for one request with the newest key of the service. If the key is retired before the request arrives,
   * the client encrypts the PIN again and repeats the request once.
   */
  sealedPin(pin: string): Promise<string>;
}

const WRITES = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

/**
 * Returns a new Idempotency-Key of 128 random bits. crypto.randomUUID() does not exist in pages loaded over plain http.
 */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/**
 * Creates a client. Each write has a new `Idempotency-Key`, unless the call passes one. Repeats of the write use the
 * same key, so that it happens once.
 */
export function associationClient(options: ClientOptions): AssociationClient {
  const { origin, token, language, fetch: fetchOnce = (request: Request) => fetch(request) } = options;
  const pins = pinSealer(newestPinKey, retryingFetch(fetchOnce, { ...DEFAULT_RETRIES, ...options.retries }));
  const client = createClient<paths>({ baseUrl: `${origin.replace(/\/$/, '')}${API_BASE}`, fetch: pins.send });

  async function newestPinKey(): Promise<PinKey> {
    const { keys } = answered(await client.GET('/keys/pin'));
    // The OpenAPI document lists the members of a JWK; WebCrypto has its own type for it.
    const [key] = keys as unknown as PinKey[];
    if (key === undefined) throw new Error('The service has no key for PINs');
    return key;
  }

  client.use({
    async onRequest({ request }) {
      request.headers.set('Authorization', `Bearer ${typeof token === 'string' ? token : await token()}`);
      if (language !== undefined) request.headers.set('Accept-Language', language);
      if (WRITES.has(request.method) && !request.headers.has('Idempotency-Key')) {
        request.headers.set('Idempotency-Key', newKey());
      }
      return request;
    },
  });
  return Object.assign(client, { sealedPin: pins.seal });
}
