import createClient from 'openapi-fetch';
import type { Client } from 'openapi-fetch';
import { answered } from './problem.ts';
import { DEFAULT_RETRIES, retryingFetch } from './retry.ts';
import type { Retries } from './retry.ts';
import type { paths } from './schema.ts';
import { sealPin } from './seal-pin.ts';
import type { PinKey } from './seal-pin.ts';

/** Where the interface lives below the server's root. */
const API_BASE = '/association-service/api/v1';

/** Rotated keys are published long before the old ones retire; asking once an hour is soon enough. */
const PIN_KEY_LIFE_MS = 60 * 60_000;

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
  /** Encrypts a PIN for one request with the service's newest key. */
  sealedPin(pin: string): Promise<string>;
}

const WRITES = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

/**
 * Makes a client. Writes carry a fresh `Idempotency-Key` unless the call gives one, and keep it through all repeats, so
 * that each happens once.
 */
export function associationClient(options: ClientOptions): AssociationClient {
  const { origin, token, language, fetch: fetchOnce = (request: Request) => fetch(request) } = options;
  const client = createClient<paths>({
    baseUrl: `${origin.replace(/\/$/, '')}${API_BASE}`,
    fetch: retryingFetch(fetchOnce, { ...DEFAULT_RETRIES, ...options.retries }),
  });
  client.use({
    async onRequest({ request }) {
      request.headers.set('Authorization', `Bearer ${typeof token === 'string' ? token : await token()}`);
      if (language !== undefined) request.headers.set('Accept-Language', language);
      if (WRITES.has(request.method) && !request.headers.has('Idempotency-Key')) {
        request.headers.set('Idempotency-Key', crypto.randomUUID());
      }
      return request;
    },
  });
  return Object.assign(client, { sealedPin: pinSealer(client) });
}

function pinSealer(client: Client<paths>): (pin: string) => Promise<string> {
  let newest: { key: Promise<PinKey>; read_at_ms: number } | undefined;
  const read = async (): Promise<PinKey> => {
    const { keys } = answered(await client.GET('/keys/pin'));
    // The document describes a JWK by its members; WebCrypto has a type of its own for the same.
    const [key] = keys as unknown as PinKey[];
    if (key === undefined) throw new Error('The service has no key for PINs');
    return key;
  };
  return async (pin) => {
    if (newest === undefined || Date.now() - newest.read_at_ms > PIN_KEY_LIFE_MS) {
      newest = { key: read(), read_at_ms: Date.now() };
    }
    const { key } = newest;
    return sealPin(
      pin,
      await key.catch((error: unknown) => {
        newest = undefined;
        throw error;
      }),
    );
  };
}
