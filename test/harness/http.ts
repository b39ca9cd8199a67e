import type { webcrypto } from 'node:crypto';
import { API_BASE } from '../../lib/contracts/api.ts';
import { observe } from './conformance.ts';
import { noteLocation } from './coverage.ts';
import { keepSecrets } from './written-output.ts';

export type Json = Record<string, unknown>;

export interface HttpAnswer {
  status: number;
  headers: Headers;
  body: Json;
  text: string;
}

/**
 * The HTTP client of a user. It uses nothing of the project except the API's base. Each request and answer is checked
 * against the OpenAPI document (conformance.ts).
 */
export class HttpClient {
  readonly origin: string;
  token: string;
  readonly pin: string;
  /** False if its answers were written by another release. */
  isChecked = true;

  constructor(origin: string, token: string, pin = '2468') {
    this.origin = origin;
    this.token = token;
    this.pin = pin;
  }

  /** Sends a request; paths that start with `//` are relative to the server's root. */
  async send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<HttpAnswer> {
    const url = path.startsWith('//') ? `${this.origin}${path.slice(1)}` : `${this.origin}${API_BASE}${path}`;
    const sent = typeof body === 'string' ? body : JSON.stringify(body);
    const response = await fetch(url, {
      method,
      headers: {
        ...(this.token === '' ? {} : { Authorization: `Bearer ${this.token}` }),
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: sent }),
    });
    const text = await response.text();
    const { pathname, search } = new URL(url);
    const answer = { status: response.status, headers: response.headers };
    if (this.isChecked) observe({ ...answer, method, target: pathname + search, sent, received: text });
    noteLocation(method, pathname, response, this);
    const isJson = /\/(problem\+)?json(;|$)/.test(response.headers.get('content-type') ?? '') && text !== '';
    const read = isJson ? (JSON.parse(text) as Json) : {};
    // That of a webhook, which no process may write.
    if (typeof read.secret === 'string') keepSecrets(read.secret);
    return { ...answer, text, body: read };
  }

  get(path: string): Promise<HttpAnswer> {
    return this.send('GET', path);
  }

  post(path: string, body: unknown = {}): Promise<HttpAnswer> {
    return this.send('POST', path, body);
  }

  /** Sends a GET request. @throws Error for any status except 200 */
  ok(path: string): Promise<Json> {
    return this.#insist(200, 'GET', path);
  }

  okPost(path: string, body: unknown): Promise<Json> {
    return this.#insist(200, 'POST', path, body);
  }

  created(path: string, body: unknown): Promise<Json> {
    return this.#insist(201, 'POST', path, body);
  }

  async setPin(): Promise<void> {
    await this.#insist(204, 'PUT', '/me/pin', { pin: await this.sealedPin() });
  }

  /** Seals a PIN as a client does, with a new ciphertext in each call. */
  async sealedPin(pin = this.pin): Promise<string> {
    return (await this.pinSealer())(pin);
  }

  /** Returns a function that seals PINs with the newest key. */
  async pinSealer(): Promise<(pin?: string) => Promise<string>> {
    const { keys } = await this.ok('/keys/pin');
    const [newest] = keys as webcrypto.JsonWebKey[];
    const algorithm = { name: 'RSA-OAEP', hash: 'SHA-256' };
    const key = await crypto.subtle.importKey('jwk', newest!, algorithm, false, ['encrypt']);
    return async (pin = this.pin) =>
      Buffer.from(await crypto.subtle.encrypt(algorithm, key, new TextEncoder().encode(pin))).toString('base64');
  }

  async #insist(status: number, method: string, path: string, body?: unknown): Promise<Json> {
    const answer = await this.send(method, path, body);
    if (answer.status !== status) throw new Error(`${method} ${path} gave ${String(answer.status)}: ${answer.text}`);
    return answer.body;
  }
}
