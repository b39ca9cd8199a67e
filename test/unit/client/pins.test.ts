import { webcrypto } from 'node:crypto';
import { expect } from 'chai';
import { associationClient } from '../../../clients/typescript/src/index.ts';

const PIN_MEMBERS = ['pin', 'current_pin'] as const;

/** A service with one RSA key at a time, which cannot decrypt PINs sealed with another key. */
class OneKeyService {
  key!: webcrypto.CryptoKeyPair;
  keys_read = 0;
  readonly asked: { key: string | null; pins: (string | null)[] }[] = [];
  /** Whether every request is refused, regardless of the key its PINs were sealed with. */
  refuses = false;

  async rotate(): Promise<void> {
    const length = { modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]) };
    this.key = await webcrypto.subtle.generateKey({ name: 'RSA-OAEP', hash: 'SHA-256', ...length }, true, [
      'encrypt',
      'decrypt',
    ]);
  }

  readonly fetch = async (request: Request): Promise<Response> => {
    if (request.url.endsWith('/keys/pin')) {
      this.keys_read += 1;
      return Response.json({ keys: [await webcrypto.subtle.exportKey('jwk', this.key.publicKey)] });
    }
    const body = (await request.json()) as Record<string, string>;
    const pins = await Promise.all(PIN_MEMBERS.map((name) => this.#open(body[name] ?? '')));
    this.asked.push({ key: request.headers.get('Idempotency-Key'), pins });
    const code = this.refuses || pins.includes(null) ? 'pin_unreadable' : undefined;
    return code === undefined ? new Response(null, { status: 204 }) : Response.json({ code }, { status: 403 });
  };

  async #open(sealed: string): Promise<string | null> {
    const opened = webcrypto.subtle.decrypt({ name: 'RSA-OAEP' }, this.key.privateKey, Buffer.from(sealed, 'base64'));
    return opened.then(
      (plain) => Buffer.from(plain).toString(),
      () => null,
    );
  }
}

describe('The client, when it sends PINs,', () => {
  let service: OneKeyService;
  beforeEach(async () => {
    service = new OneKeyService();
    await service.rotate();
  });
  const clientOf = () => associationClient({ origin: 'https://example.org', token: 't', fetch: service.fetch });

  it('seals all PINs again if their key was retired, and keeps the idempotency key', async () => {
    const client = clientOf();
    await client.sealedPin('0000');
    await service.rotate();
    const body = { pin: await client.sealedPin('2468'), current_pin: await client.sealedPin('1357') };
    expect(service.keys_read).to.equal(1);
    expect((await client.PUT('/me/pin', { body })).response.status).to.equal(204);
    expect(service.keys_read).to.equal(2);
    const [first, second, ...more] = service.asked;
    expect(first?.pins).to.deep.equal([null, null]);
    expect(second).to.deep.equal({ key: first?.key, pins: ['2468', '1357'] });
    expect(more).to.deep.equal([]);
  });

  it('seals PINs again only once, then returns the refusal to the caller', async () => {
    service.refuses = true;
    const client = clientOf();
    const body = { pin: await client.sealedPin('2468'), current_pin: await client.sealedPin('1357') };
    expect((await client.PUT('/me/pin', { body })).error).to.include({ code: 'pin_unreadable' });
    expect(service.asked).to.have.length(2);
    // Ciphertexts that the client has already sent or did not make are sent once.
    await client.PUT('/me/pin', { body });
    expect(service.asked).to.have.length(3);
  });

  it('keeps a PIN for at most a minute', async () => {
    const client = clientOf();
    const sealed = await client.sealedPin('2468');
    await service.rotate();
    const { now } = Date;
    try {
      Date.now = () => now() + 60_000;
      const { error } = await client.PUT('/me/pin', { body: { pin: sealed } });
      expect(error).to.include({ code: 'pin_unreadable' });
      expect(service.asked).to.have.length(1);
    } finally {
      Date.now = now;
    }
    // The old key is not used again.
    const body = { pin: await client.sealedPin('2468'), current_pin: await client.sealedPin('1357') };
    expect((await client.PUT('/me/pin', { body })).response.status).to.equal(204);
    expect(service.asked).to.have.length(2);
  });

  it('sends a body that is not JSON unchanged', async () => {
    const bodies: string[] = [];
    const fetch = async (request: Request) => {
      if (request.url.endsWith('/keys/pin')) return service.fetch(request);
      bodies.push(await request.text());
      return new Response(null, { status: 204 });
    };
    const client = associationClient({ origin: 'https://example.org', token: 't', fetch });
    await client.sealedPin('2468');
    await client.PUT('/me/pin', { body: { pin: '' }, bodySerializer: () => '{' });
    expect(bodies).to.deep.equal(['{']);
  });

  it('works in a page loaded over plain HTTP, except that sealing a PIN fails and names the secure context', async () => {
    const whole = Object.getOwnPropertyDescriptor(globalThis, 'crypto')!;
    const getRandomValues = webcrypto.getRandomValues.bind(webcrypto);
    const client = clientOf();
    Object.defineProperty(globalThis, 'crypto', { configurable: true, value: { getRandomValues } });
    try {
      await client.PUT('/me/pin', { body: { pin: 'x' } });
      await client.PUT('/me/pin', { body: { pin: 'x' } });
      const keys = service.asked.map(({ key }) => key);
      expect(keys[0]).to.match(/^[0-9a-f]{32}$/);
      expect(keys[1])
        .to.match(/^[0-9a-f]{32}$/)
        .and.not.equal(keys[0]);
      const error: unknown = await client.sealedPin('2468').catch((thrown: unknown) => thrown);
      expect((error as Error).message)
        .to.contain('secure context')
        .and.to.contain('https');
    } finally {
      Object.defineProperty(globalThis, 'crypto', whole);
    }
  });
});
