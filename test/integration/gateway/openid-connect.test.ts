import { expect } from 'chai';
import { decodeProtectedHeader, importJWK, SignJWT, type JWK } from 'jose';
import type { Logger } from 'moleculer';
import { loadSettings } from '../../../lib/config/settings.ts';
import { eventually } from '../../harness/eventually.ts';
import { TestGateway } from '../../harness/gateway.ts';
import { AUDIENCE, IdentityProvider, providerKey } from '../../harness/identity-provider.ts';

describe('gateway: tokens of OIDC_ISSUER', function () {
  this.timeout(60_000);
  let key: JWK;
  let provider: IdentityProvider;
  let gateway: TestGateway;
  /** How far the gateway's clock is ahead of the system clock. */
  let ahead_ms: number;
  /** The reasons of the last warnings and errors. */
  let reasons: unknown[];

  /** Starts a gateway whose only setting is the issuer, unless `env` has others. */
  async function startGateway(env: NodeJS.ProcessEnv = {}): Promise<void> {
    gateway = new TestGateway({
      jwtSettings: loadSettings({ OIDC_ISSUER: provider.issuer, ...env }).jwt,
      clock: () => new Date(Date.now() + ahead_ms),
    });
    await gateway.start();
    const { logger } = gateway.service<{ logger: Logger }>();
    const note = (_message: string, { reason }: { reason?: unknown }) => void reasons.push(reason);
    Object.assign(logger, { warn: note, error: note });
  }

  /** Sends a request with the token, and returns the user that the gateway sees, or the code of its refusal. */
  async function userOrRefusal(token: string): Promise<unknown> {
    const { status, body } = await gateway.send('GET /associations/my', { token });
    return status === 200 ? gateway.seen?.ctx.meta.caller : body.code;
  }

  const awa = { user_id: 'awa', name: 'The name of awa', scopes: [] };
  const payments = { user_id: 'payments', name: null, scopes: [] };

  before(async () => {
    key = await providerKey('ES256', 'first');
  });
  beforeEach(async () => {
    ahead_ms = 0;
    reasons = [];
    provider = await IdentityProvider.at();
    await provider.start([key]);
  });
  afterEach(async () => {
    await gateway.stop();
    await provider.stop();
  });

  it('are accepted from client credentials, from a user who signs in with a code and PKCE, and refreshed', async () => {
    await startGateway();
    expect(await userOrRefusal(await provider.clientToken())).to.deep.equal(payments);
    const scoped = await provider.clientToken({ scope: 'wallets:fund' });
    expect(await userOrRefusal(scoped)).to.deep.equal({ ...payments, scopes: ['wallets:fund'] });

    const signedIn = await provider.signIn('awa');
    expect(await userOrRefusal(signedIn.access_token)).to.deep.equal(awa);
    const refreshed = await provider.refresh(signedIn);
    expect(refreshed.access_token).not.to.equal(signedIn.access_token);
    expect(await userOrRefusal(refreshed.access_token)).to.deep.equal(awa);
  });

  it('are refused if they are ID tokens or refresh tokens, whatever their audience', async () => {
    await startGateway();
    const { id_token, refresh_token } = await provider.signIn('awa');
    expect(claimsOf(id_token)).to.deep.include({ iss: provider.issuer, aud: AUDIENCE, sub: 'awa' });
    expect(decodeProtectedHeader(id_token)).to.deep.equal({ alg: 'ES256', kid: 'first' });
    expect(await userOrRefusal(id_token)).to.equal('token_invalid');
    expect(await userOrRefusal(refresh_token)).to.equal('token_invalid');
    // It was its type alone that refused the ID token.
    await gateway.stop();
    await startGateway({ JWT_TYPES: 'at+jwt,JWT' });
    expect(await userOrRefusal(id_token)).to.deep.equal({ ...awa, name: null });
  });

  it('are refused for another audience, unless JWT_AUDIENCE names it', async () => {
    await startGateway();
    const token = await provider.clientToken({ resource: 'urn:another' });
    expect(claimsOf(token)).to.deep.include({ iss: provider.issuer, aud: 'urn:another' });
    expect(await userOrRefusal(token)).to.equal('token_invalid');
    await gateway.stop();
    await startGateway({ JWT_AUDIENCE: 'urn:another' });
    expect(await userOrRefusal(token)).to.deep.equal(payments);
    expect(await userOrRefusal(await provider.clientToken())).to.equal('token_invalid');
  });

  it('are refused from another issuer, even with the same keys', async () => {
    await startGateway();
    const other = await IdentityProvider.at();
    await other.start([key]);
    const token = await other.clientToken();
    await other.stop();
    expect(claimsOf(token)).to.deep.include({ iss: other.issuer, aud: AUDIENCE });
    expect(await userOrRefusal(token)).to.equal('token_invalid');
    expect(await userOrRefusal(await provider.clientToken())).to.deep.equal(payments);
  });

  it('are refused if they are of another type, unless JWT_TYPES lists it', async () => {
    await provider.start([key], { typ: 'JWT' });
    await startGateway();
    const token = await provider.clientToken();
    expect(decodeProtectedHeader(token).typ).to.equal('JWT');
    expect(await userOrRefusal(token)).to.equal('token_invalid');
    await provider.start([key], { typ: 'application/at+jwt' });
    expect(await userOrRefusal(await provider.clientToken())).to.deep.equal(payments);
    await gateway.stop();
    await startGateway({ JWT_TYPES: 'JWT' });
    expect(await userOrRefusal(token)).to.deep.equal(payments);
  });

  it('cannot be verified while the provider claims to be another issuer', async () => {
    const lying = { issuer: 'https://id.example' };
    const lie = `the discovery document is of another issuer: "${lying.issuer}"`;
    await provider.stop();
    await startGateway();
    await provider.start([key], lying);
    ahead_ms += 5_000;
    await eventually(() => {
      expect(reasons.at(-1)).to.equal(lie);
    }, 20_000);
    expect(await userOrRefusal(await provider.clientToken())).to.equal('service_unavailable');

    await provider.start([key]);
    const honest = await provider.clientToken();
    ahead_ms += 5_000;
    await eventually(async () => expect(await userOrRefusal(honest)).to.deep.equal(payments), 20_000);

    const strange = await providerKey('ES256', 'strange');
    await provider.start([strange], lying);
    ahead_ms += 30_000;
    const forged = await new SignJWT({ iss: provider.issuer, aud: AUDIENCE, sub: 'awa' })
      .setProtectedHeader({ alg: 'ES256', kid: 'strange', typ: 'at+jwt' })
      .setExpirationTime('1h')
      .sign(await importJWK(strange));
    expect(await userOrRefusal(forged)).to.equal('token_invalid');
    expect(reasons.at(-1)).to.equal(lie);
    expect(await userOrRefusal(honest)).to.deep.equal(payments);
    await provider.start([strange, key]);
    ahead_ms += 30_000;
    expect(await userOrRefusal(forged), 'once the issuer is right').to.include({ user_id: 'awa' });
  });
});

function claimsOf(token: string): Record<string, unknown> {
  const [, claims = ''] = token.split('.');
  return JSON.parse(Buffer.from(claims, 'base64url').toString()) as Record<string, unknown>;
}
