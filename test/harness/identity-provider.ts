import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { exportJWK, generateKeyPair, type JWK } from 'jose';
import Provider, { type AsymmetricSigningAlgorithm, type Configuration } from 'oidc-provider';
import { freePort } from './free-port.ts';

/** The audience of the tokens for the API, which clients request as this resource (RFC 8707). */
export const AUDIENCE = 'association-service';
const RESOURCE = 'urn:association-service';

const REDIRECT_URI = 'http://127.0.0.1/callback';
const CLIENT = { id: 'payments', secret: 'a secret for tests that is long enough' };
/** The app of the users. Its ID tokens have the audience of the API, so only their type shows that they are for the app. */
const APP = AUDIENCE;

export type TokenAlgorithm = Extract<AsymmetricSigningAlgorithm, 'RS256' | 'ES256' | 'EdDSA'>;

/** Longer than a test takes, including the hours by which it advances its clock. */
const TTL_S = 3 * 3_600;

/** What a user's app receives. */
export interface SignedIn {
  access_token: string;
  id_token: string;
  refresh_token: string;
}

export interface Behaviour {
  /** The issuer that the provider claims to be, unless it is its own. */
  issuer?: string;
  /** The `typ` of access tokens, unless it is `at+jwt`. */
  typ?: string;
}

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
  async start(keys: [JWK, ...JWK[]], { issuer = this.issuer, typ }: Behaviour = {}): Promise<void> {
    await this.stop();
    const provider = new Provider(issuer, configuration(keys, typ));
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
  async clientToken({ resource = RESOURCE, scope = '' } = {}): Promise<string> {
    const basic = Buffer.from(`${CLIENT.id}:${encodeURIComponent(CLIENT.secret)}`).toString('base64');
    const grant = { grant_type: 'client_credentials', scope, resource };
    return (await this.#token(grant, { Authorization: `Basic ${basic}` })).access_token;
  }

  /** Requests tokens for a user who signs in and consents, with an authorization code and PKCE (RFC 7636). */
  async signIn(user: string): Promise<SignedIn> {
    const code_verifier = randomBytes(32).toString('base64url');
    const question = new URLSearchParams({
      client_id: APP,
      response_type: 'code',
      redirect_uri: REDIRECT_URI,
      scope: 'openid offline_access',
      prompt: 'consent',
      resource: RESOURCE,
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
    const grant = { grant_type: 'authorization_code', client_id: APP, redirect_uri: REDIRECT_URI };
    return this.#token({ ...grant, resource: RESOURCE, code, code_verifier });
  }

  /** Requests new tokens for a user who has signed in (RFC 6749, section 6). */
  refresh({ refresh_token }: SignedIn): Promise<SignedIn> {
    return this.#token({ grant_type: 'refresh_token', client_id: APP, resource: RESOURCE, refresh_token });
  }

  async #token(parameters: Record<string, string>, headers: Record<string, string> = {}): Promise<SignedIn> {
    const body = new URLSearchParams(parameters);
    const response = await fetch(`${this.issuer}/token`, { method: 'POST', headers, body });
    if (!response.ok) throw new Error(`No token: ${await response.text()}`);
    return (await response.json()) as SignedIn;
  }
}

function configuration(keys: [JWK, ...JWK[]], typ: string | undefined): Configuration {
  const alg = keys[0].alg as TokenAlgorithm;
  const serverOf = (resource: string) =>
    ({
      scope: 'wallets:fund',
      audience: resource === RESOURCE ? AUDIENCE : resource,
      accessTokenFormat: 'jwt',
      jwt: { sign: { alg } },
    }) as const;
  const kinds = ['AccessToken', 'ClientCredentials', 'Grant', 'IdToken', 'Interaction', 'RefreshToken', 'Session'];
  const payments = { client_id: CLIENT.id, client_secret: CLIENT.secret, grant_types: ['client_credentials'] };
  const app = { client_id: APP, token_endpoint_auth_method: 'none', application_type: 'native' } as const;
  const grant_types = ['authorization_code', 'refresh_token'];
  return {
    jwks: { keys },
    cookies: { keys: ['a secret for tests'] },
    clientDefaults: { id_token_signed_response_alg: alg },
    clients: [
      { ...payments, response_types: [], redirect_uris: [] },
      { ...app, grant_types, redirect_uris: [REDIRECT_URI] },
    ],
    findAccount: (_context, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
    extraTokenClaims: (_context, token) => ('accountId' in token ? { name: `The name of ${token.accountId}` } : {}),
    ttl: Object.fromEntries(kinds.map((kind) => [kind, TTL_S])),
    pkce: { required: () => true },
    formats: {
      customizers: {
        jwt(_context, _token, jwt) {
          if (typ !== undefined) jwt.header = { ...jwt.header, typ };
        },
      },
    },
    features: {
      clientCredentials: { enabled: true },
      devInteractions: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_context, resource) => serverOf(resource),
        useGrantedResource: () => true,
      },
    },
  };
}
