import { generateKeyPairSync } from 'node:crypto';
import { resolve } from 'node:path';
import { expect } from 'chai';
import { SERVICES } from '../../../lib/config/service-names.ts';
import { hostAndPort, natsConnectOptions } from '../../../lib/config/server-urls.ts';
import { loadSettings, requireForProduction } from '../../../lib/config/settings.ts';
import { StartupError } from '../../../lib/config/startup-error.ts';

function refusal(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    expect(error).to.be.instanceOf(StartupError);
    const { message } = error as Error;
    expect(message).not.to.contain('\n');
    return message;
  }
  throw new Error('It was accepted.');
}

const { publicKey, privateKey } = generateKeyPairSync('ec', {
  namedCurve: 'P-256',
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
});

describe('settings', () => {
  it('have defaults for everything', () => {
    expect(loadSettings({})).to.deep.equal({
      port: 3000,
      host: '127.0.0.1',
      dataDir: resolve('.data'),
      production: false,
      databaseUrls: {},
      eventStream: {},
      jwt: {},
      pin: {},
      rateLimitPerMinute: 600,
      trustedProxies: [],
      corsOrigins: 'any',
      drainDelayS: 0,
      logLevel: 'warn',
    });
  });

  it('take an empty variable for one that is not set', () => {
    expect(loadSettings({ PORT: '', NATS_URL: ' ', JWT_SECRET: '' })).to.deep.equal(loadSettings({}));
  });

  it('log more in production', () => {
    expect(loadSettings({ NODE_ENV: 'production' }).logLevel).to.equal('info');
    expect(loadSettings({ NODE_ENV: 'production', LOG_LEVEL: 'debug' }).logLevel).to.equal('debug');
  });

  it('let balancers turn away in production, and no Ctrl-C wait', () => {
    expect(loadSettings({}).drainDelayS).to.equal(0);
    expect(loadSettings({ NODE_ENV: 'production' }).drainDelayS).to.equal(5);
    expect(loadSettings({ NODE_ENV: 'production', DRAIN_DELAY_S: '0' }).drainDelayS).to.equal(0);
  });

  it('read the URL of each database', () => {
    const url = 'postgres://treasury:p%40ss@db:5432/ledger';
    expect(loadSettings({ TREASURY_DATABASE_URL: url }).databaseUrls).to.deep.equal({ treasury: url });
  });

  for (const [variable, value] of [
    ['PORT', 'http'],
    ['PORT', '65536'],
    ['LOG_LEVEL', 'loud'],
    ['POSTGRES_URL', 'mysql://root:hunter2@db/x'],
    ['TREASURY_DATABASE_URL', 'hunter2'],
    ['NATS_URL', 'http://user:hunter2@nats'],
    ['NATS_URL', 'nats://one,'],
    ['JWT_JWKS_URL', 'file:///etc/hunter2'],
    ['JWT_JWKS_URL', 'https://user:hunter2@id.example/jwks'],
    ['JWT_PUBLIC_KEY', 'hunter2'],
    ['JWT_PUBLIC_KEY', privateKey],
    ['DRAIN_DELAY_S', '1.5'],
    ['DRAIN_DELAY_S', '301'],
    ['EVENTS_REPLICAS', '0'],
    ['EVENTS_REPLICAS', '6'],
    ['EVENTS_MAX_AGE', '30'],
    ['EVENTS_MAX_AGE', '0d'],
    ['EVENTS_MAX_AGE', '3651d'],
    ['EVENTS_MAX_BYTES', '1024'],
    ['EVENTS_MAX_BYTES', '10GB'],
    ['RATE_LIMIT', '0'],
    ['RATE_LIMIT', '-1'],
    ['RATE_LIMIT', '1.5'],
    ['RATE_LIMIT', 'hunter2'],
    ['RATE_LIMIT', '1000001'],
    ['TRUSTED_PROXIES', 'hunter2'],
    ['TRUSTED_PROXIES', '10.0.0.0/33'],
    ['TRUSTED_PROXIES', '10.0.0.1 10.0.0.2'],
    ['CORS_ORIGINS', 'hunter2'],
    ['CORS_ORIGINS', ','],
    ['CORS_ORIGINS', 'https://a.example/'],
    ['CORS_ORIGINS', 'https://a.example,*'],
    ['CORS_ORIGINS', 'https://u:hunter2@a.example'],
    ['JWT_ALGORITHMS', 'none'],
    ['JWT_ALGORITHMS', 'HS256,none'],
    ['JWT_ALGORITHMS', 'hs256'],
    ['JWT_ALGORITHMS', ','],
    ['JWT_ALGORITHMS', 'RS256'],
  ] as const) {
    it(`refuse ${variable}=${value.slice(0, 30)} in one line that names the variable, not the value`, () => {
      const message = refusal(() => loadSettings({ [variable]: value }));
      expect(message).to.contain(variable);
      expect(message).not.to.contain('hunter2');
    });
  }

  it('read the rate limit, which may be off, and the proxies', () => {
    expect(loadSettings({ RATE_LIMIT: ' 60 ' }).rateLimitPerMinute).to.equal(60);
    expect(loadSettings({ RATE_LIMIT: 'OFF' }).rateLimitPerMinute).to.equal('off');
    const proxies = { TRUSTED_PROXIES: '10.0.0.0/8, ::1,,192.0.2.7' };
    expect(loadSettings(proxies).trustedProxies).to.deep.equal(['10.0.0.0/8', '::1', '192.0.2.7']);
  });

  it('read how the event stream is kept', () => {
    const env = { EVENTS_REPLICAS: '3', EVENTS_MAX_AGE: ' 30D ', EVENTS_MAX_BYTES: '5000000000' };
    const month_ms = 30 * 24 * 3_600_000;
    expect(loadSettings(env).eventStream).to.deep.equal({ replicas: 3, maxAgeMs: month_ms, maxBytes: 5_000_000_000 });
    expect(loadSettings({ EVENTS_MAX_AGE: '12h' }).eventStream).to.deep.equal({ maxAgeMs: 12 * 3_600_000 });
    const off = { EVENTS_MAX_AGE: 'off', EVENTS_MAX_BYTES: 'OFF' };
    expect(loadSettings(off).eventStream).to.deep.equal({ maxAgeMs: 0, maxBytes: -1 });
  });

  it('read whose pages may call: any unless told otherwise', () => {
    const read = (CORS_ORIGINS?: string) => loadSettings({ CORS_ORIGINS }).corsOrigins;
    expect([read(), read(''), read(' * '), read('OFF')]).to.deep.equal(['any', 'any', 'any', 'off']);
    const origins = ['https://a.example', 'http://localhost:5173', 'capacitor://localhost'];
    expect(read(origins.join(', '))).to.deep.equal(origins);
  });

  it('refuse to verify HMACs with a public key', () => {
    const key = { JWT_PUBLIC_KEY: publicKey };
    expect(refusal(() => loadSettings({ ...key, JWT_ALGORITHMS: 'HS256' }))).to.contain('JWT_ALGORITHMS');
    expect(loadSettings({ ...key, JWT_ALGORITHMS: 'ES256' }).jwt.algorithms).to.deep.equal(['ES256']);
  });

  it('take a PEM with escaped line breaks', () => {
    expect(loadSettings({ JWT_PUBLIC_KEY: publicKey.replaceAll('\n', '\\n') }).jwt.publicKeyPem).to.equal(publicKey);
  });
});

describe('settings of production', () => {
  const complete = {
    NODE_ENV: 'production',
    JWT_SECRET: 'x'.repeat(32),
    PIN_PEPPER: 'p'.repeat(32),
    PIN_PRIVATE_KEYS_FILE: '/keys.json',
    POSTGRES_URL: 'postgres://admin:pw@db/postgres',
    NATS_URL: 'nats:4222',
  };

  it('are complete', () => {
    expect(() => {
      requireForProduction(loadSettings(complete), SERVICES);
    }).not.to.throw();
  });

  it('matter only in production', () => {
    expect(() => {
      requireForProduction(loadSettings({}), SERVICES);
    }).not.to.throw();
  });

  for (const variable of ['JWT_SECRET', 'PIN_PEPPER', 'PIN_PRIVATE_KEYS_FILE', 'POSTGRES_URL', 'NATS_URL'] as const) {
    it(`need ${variable}`, () => {
      const settings = loadSettings({ ...complete, [variable]: '' });
      expect(
        refusal(() => {
          requireForProduction(settings, SERVICES);
        }),
      ).to.contain(variable);
    });
  }

  it('need a JWT_SECRET of 32 bytes', () => {
    const settings = loadSettings({ ...complete, JWT_SECRET: 'x'.repeat(31) });
    const message = refusal(() => {
      requireForProduction(settings, SERVICES);
    });
    expect(message).to.contain('JWT_SECRET').and.to.contain('32 bytes');
  });

  it('need a PIN_PEPPER of 32 bytes, as everywhere', () => {
    for (const PIN_PEPPER of ['x', 'x'.repeat(31)]) {
      expect(refusal(() => loadSettings({ PIN_PEPPER })))
        .to.contain('PIN_PEPPER')
        .and.to.contain('32 bytes');
    }
  });

  it('need of a service only what it uses', () => {
    const { NODE_ENV, NATS_URL } = complete;
    const settings = loadSettings({ NODE_ENV, NATS_URL, TREASURY_DATABASE_URL: 'postgres://treasury:pw@db/treasury' });
    expect(() => {
      requireForProduction(settings, ['treasury']);
    }).not.to.throw();
    expect(
      refusal(() => {
        requireForProduction(settings, ['treasury', 'governance']);
      }),
    ).to.contain('GOVERNANCE_DATABASE_URL');
  });
});

describe('server URLs', () => {
  it('give NATS clients servers and credentials', () => {
    const urls = loadSettings({ NATS_URL: 'nats://me:p%2Fw@one:4222, two:4333' }).natsUrl ?? '';
    expect(natsConnectOptions(urls)).to.deep.include({ servers: ['one:4222', 'two:4333'], user: 'me', pass: 'p/w' });
    expect(natsConnectOptions('tls://secret@one')).to.deep.include({ servers: ['one'], token: 'secret', tls: {} });
  });

  it('are shown without credentials', () => {
    expect(hostAndPort('nats://me:pw@one,nats://two:4333', 4222)).to.equal('one:4222, two:4333');
  });
});
