import type { webcrypto } from 'node:crypto';

const API_PATH = '/association-service/api/v1';

/** A JSON answer, as described in the API's documentation. */
export type Json = Record<string, unknown>;

/** The address of the service, and a source of tokens for it. */
export interface TokenIssuer {
  readonly origin: string;
  token(user: string, name: string, scope?: string): Promise<string>;
}

/** A person with a token, a PIN and a wallet who uses the service over HTTP. */
export class Person {
  readonly name: string;
  readonly token: string;
  readonly #origin: string;
  readonly #pin: string;
  wallet_id = '';

  private constructor(name: string, origin: string, token: string, pin: string) {
    this.name = name;
    this.#origin = origin;
    this.token = token;
    this.#pin = pin;
  }

  static async withToken(
    server: TokenIssuer,
    name: string,
    user: string,
    pin: string,
    scope?: string,
  ): Promise<Person> {
    return new Person(name, server.origin, await server.token(user, name, scope), pin);
  }

  /** Paths that start with `//` are relative to the root of the server. */
  get(path: string): Promise<Json> {
    return this.#send('GET', path);
  }

  post(path: string, body: Json = {}): Promise<Json> {
    return this.#send('POST', path, body);
  }

  /** Sends a POST with a newly encrypted PIN, since a ciphertext authorizes only one operation. */
  async postWithPin(path: string, body: Json): Promise<Json> {
    return this.post(path, { ...body, pin: await this.sealedPin() });
  }

  async setPin(): Promise<void> {
    await this.#send('PUT', '/me/pin', { pin: await this.sealedPin() });
  }

  /** Returns whether the service accepts the person's token. */
  async isKnown(): Promise<boolean> {
    const { status } = await this.#answer('GET', '/associations/my');
    return status !== 401;
  }

  /** Returns the balance of the person's wallet, in the currency's major unit. */
  async balance(): Promise<number> {
    const wallet = await this.get(`/wallets/${this.wallet_id}`);
    return wallet.balance as number;
  }

  /** Returns the bytes of an answer in a format other than JSON. */
  async file(path: string, accept: string): Promise<Buffer> {
    const response = await this.#fetch('GET', path, undefined, { Accept: accept });
    return Buffer.from(await response.arrayBuffer());
  }

  /** Encrypts the PIN with RSA-OAEP (SHA-256) and the newest key. */
  async sealedPin(): Promise<string> {
    const { keys } = (await this.get('/keys/pin')) as { keys: webcrypto.JsonWebKey[] };
    const [newest] = keys;
    if (newest === undefined) throw new Error('The service shows no PIN key');
    const algorithm = { name: 'RSA-OAEP', hash: 'SHA-256' };
    const key = await crypto.subtle.importKey('jwk', newest, algorithm, false, ['encrypt']);
    const sealed = await crypto.subtle.encrypt(algorithm, key, new TextEncoder().encode(this.#pin));
    return Buffer.from(sealed).toString('base64');
  }

  async #send(method: string, path: string, body?: Json): Promise<Json> {
    const response = await this.#fetch(method, path, body);
    const text = await response.text();
    return text === '' ? {} : (JSON.parse(text) as Json);
  }

  async #fetch(method: string, path: string, body?: Json, headers: Record<string, string> = {}): Promise<Response> {
    const response = await this.#answer(method, path, body, headers);
    if (!response.ok)
      throw new Error(`${this.name}: ${method} ${path} gave ${response.status}: ${await response.text()}`);
    return response;
  }

  #answer(method: string, path: string, body?: Json, headers: Record<string, string> = {}): Promise<Response> {
    return fetch(this.#origin + (path.startsWith('//') ? path.slice(1) : API_PATH + path), {
      method,
      headers: { Authorization: `Bearer ${this.token}`, 'Content-Type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  }
}
