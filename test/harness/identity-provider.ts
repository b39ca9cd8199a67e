import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { exportJWK, generateKeyPair, type JWK } from 'jose';
import Provider, { type AsymmetricSigningAlgorithm, type Configuration } from 'oidc-provider';
import { freePort } from './free-port.ts';

/** The audience of the tokens. */
export const AUDIENCE = 'urn:associations';

const REDIRECT_URI = 'http://127.0.0.1/callback';
const CLIENT = { id: 'payments', secret: 'a secret for tests that is long enough' };

export type TokenAlgorithm = Extract<AsymmetricSigningAlgorithm, 'RS256' | 'ES256' | 'EdDSA'>;

/** Longer than a test takes, including the time by which it advances its clock. */
const TTL_S = 3_600;

/** Generates a private key of a provider. */
export async function providerKey(alg: TokenAlgorithm, kid: string): Promise<JWK> {
  const { privateKey } = await generateKeyPair(alg, { extractable: true });
  return { ...(await exportJWK(privateKey)), kid, alg, use: 'sig' };
}

/** An identity provider (`oidc-provider`) that keeps its port when it restarts. */
export class IdentityProvider {
  readonly issuer: string;
  #server: Server | undefined;

  private constructor(issuer: string) {
    this.issuer = issuer;
  }

  static async at(): Promise<IdentityProvider> {
    return new IdentityProvider(`http://127.0.0.1:${String(await freePort())}`);
  }

  /** Starts the provider with these keys instead of the earlier ones; it signs with the first. */
  async start(alg: TokenAlgorithm, ...keys: JWK[]): Promise<void> {
    await this.stop();
    const provider = new Provider(this.issuer, configuration(keys, alg));
    this.#server = createServer((request, response) => {
      // Clients would use a kept connection again after a restart.
      response.setHeader('Connection', 'close');
      void provider.callback()(request, response);
    });
    await once(this.#server.listen(Number(new URL(this.issuer).port), '127.0.0.1'), 'listening');
  }

  async stop(): Promise<void> {
    if (this.#server === undefined) return;
    const closed = once(this.#server.close(), 'close');
    this.#server.closeAllConnections();
    this.#server = undefined;
    await closed;
  }

  /** Requests a token for the client itself (RFC 6749, section 4.4). */
  clientToken(): Promise<string> {
    const basic = Buffer.from(`${CLIENT.id}:${encodeURIComponent(CLIENT.secret)}`).toString('base64');
    return this.#token({ grant_type: 'client_credentials' }, { Authorization: `Basic ${basic}` });
  }

  /** Requests a token for a user who signs in and consents, with an authorization code and PKCE (RFC 7636). */
  async userToken(user: string): Promise<string> {
    const code_verifier = randomBytes(32).toString('base64url');
    const question = new URLSearchParams({
      client_id: 'app',
      response_type: 'code',
      redirect_uri: REDIRECT_URI,
      scope: 'openid',
      resource: AUDIENCE,
      code_challenge: createHash('sha256').update(code_verifier).digest('base64url'),
      code_challenge_method: 'S256',
    });
    const cookies = new Map<string, string>();
    let target = `${this.issuer}/auth?${question.toString()}`;
    let form: Record<string, string> | undefined;
    // Each step redirects to the next: signing in, consent, and the app.
    while (!target.startsWith(REDIRECT_URI)) {
      const response = await fetch(target, {
        redirect: 'manual',
        headers: { Cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
        ...(form === undefined ? {} : { method: 'POST', body: new URLSearchParams(form) }),
      });
      const text = await response.text();
      for (const cookie of response.headers.getSetCookie()) {
        const [name = '', value = ''] = cookie.split(';', 1)[0]?.split('=') ?? [];
        cookies.set(name, value);
      }
      const prompt = /name="prompt" value="(\w+)"/.exec(text)?.[1];
      const location = response.headers.get('Location');
      if (location === null && prompt === undefined) throw new Error(`No authorization code: ${text}`);
      form = prompt === undefined ? undefined : { prompt, login: user, password: 'any' };
      target = location === null ? target : new URL(location, this.issuer).href;
    }
    const code = new URL(target).searchParams.get('code') ?? '';
    const grant = { grant_type: 'authorization_code', client_id: 'app', redirect_uri: REDIRECT_URI };
    return this.#token({ ...grant, code, code_verifier });
  }

  async #token(parameters: Record<string, string>, headers: Record<string, string> = {}): Promise<string> {
    const body = new URLSearchParams({ ...parameters, resource: AUDIENCE });
    const response = await fetch(`${this.issuer}/token`, { method: 'POST', headers, body });
    const { access_token } = (await response.json()) as { access_token?: string };
    if (access_token === undefined) throw new Error(`No token: ${String(response.status)}`);
    return access_token;
  }
}

function configuration(keys: JWK[], alg: TokenAlgorithm): Configuration {
  const resource = { scope: '', audience: AUDIENCE, accessTokenFormat: 'jwt', jwt: { sign: { alg } } } as const;
  const kinds = ['AccessToken', 'ClientCredentials', 'Grant', 'IdToken', 'Interaction', 'Session'];
  const payments = { client_id: CLIENT.id, client_secret: CLIENT.secret, grant_types: ['client_credentials'] };
  const app = { client_id: 'app', token_endpoint_auth_method: 'none', application_type: 'native' } as const;
  return {
    jwks: { keys },
    cookies: { keys: ['a secret for tests'] },
    clientDefaults: { id_token_signed_response_alg: alg },
    clients: [
      { ...payments, response_types: [], redirect_uris: [] },
      { ...app, redirect_uris: [REDIRECT_URI] },
    ],
    findAccount: (_context, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
    ttl: Object.fromEntries(kinds.map((kind) => [kind, TTL_S])),
    pkce: { required: () => true },
    features: {
      clientCredentials: { enabled: true },
      devInteractions: { enabled: true },
      resourceIndicators: { enabled: true, getResourceServerInfo: () => resource, useGrantedResource: () => true },
    },
  };
}
