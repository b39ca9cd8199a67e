import createClient from 'openapi-fetch';
import type { Client } from 'openapi-fetch';
import { answered } from './problem.ts';
import { DEFAULT_RETRIES, retryingFetch } from './retry.ts';
import type { Retries } from './retry.ts';
import type { paths } from './schema.ts';
import { pinSealer } from './pins.ts';
import type { PinKey } from './seal-pin.ts';

/** Where the interface lives below the server's root. */
const API_BASE = '/association-service/api/v1';

export interface ClientOptions {
  /** The server's root, as `https://example.org`. */
  origin: string;
  /** The access token, or what gives a fresh one before each request. */
  token: string | (() => string | Promise<string>);
  /** The language of problems and statements. */
  language?: 'en' | 'fr';
  retries?: Partial<Retries>;
  /** In place of the platform's own. */
  fetch?: (request: Request) => Promise<Response>;
}

/** Every call of the interface, typed: `GET`, `POST`, `PUT`, `PATCH`, `DELETE` by path; and PINs sealed. */
export interface AssociationClient extends Client<paths> {
  /**
   * Encrypts a PIN for one request with the service's newest key. Where that is retired before the request arrives, the
   * client encrypts the PIN once more by itself.
   */
  sealedPin(pin: string): Promise<string>;
}

const WRITES = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

/** Names a write: 128 random bits. Not crypto.randomUUID(), which pages that came over plain http do not have. */
function freshKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/**
 * Makes a client. Writes carry a fresh `Idempotency-Key` unless the call gives one, and keep it through all repeats, so
 * that each happens once.
 */
export function associationClient(options: ClientOptions): AssociationClient {
  const { origin, token, language, fetch: fetchOnce = (request: Request) => fetch(request) } = options;
  const pins = pinSealer(newestPinKey, retryingFetch(fetchOnce, { ...DEFAULT_RETRIES, ...options.retries }));
  const client = createClient<paths>({ baseUrl: `${origin.replace(/\/$/, '')}${API_BASE}`, fetch: pins.send });

  async function newestPinKey(): Promise<PinKey> {
    const { keys } = answered(await client.GET('/keys/pin'));
    // The document describes a JWK by its members; WebCrypto has a type of its own for the same.
    const [key] = keys as unknown as PinKey[];
    if (key === undefined) throw new Error('The service has no key for PINs');
    return key;
  }

  client.use({
    async onRequest({ request }) {
      request.headers.set('Authorization', `Bearer ${typeof token === 'string' ? token : await token()}`);
      if (language !== undefined) request.headers.set('Accept-Language', language);
      if (WRITES.has(request.method) && !request.headers.has('Idempotency-Key')) {
        request.headers.set('Idempotency-Key', freshKey());
      }
      return request;
    },
  });
  return Object.assign(client, { sealedPin: pins.seal });
}
