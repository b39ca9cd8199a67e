import { generateKeyPairSync } from 'node:crypto';
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { expect } from 'chai';
import { SERVICES, TABLE_SERVICES } from '../../../lib/config/service-names.ts';
import { hostAndPort, natsConnectOptions } from '../../../lib/config/server-urls.ts';
import { loadSettings, requireForProduction, type Settings } from '../../../lib/config/settings.ts';
import { StartupError } from '../../../lib/config/startup-error.ts';

const { publicKey, privateKey } = generateKeyPairSync('ec', {
  namedCurve: 'P-256',
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
});

describe('settings', () => {
  it('have a default for every variable, and treat an empty variable as not set', () => {
    const defaults = {
      given: new Set(),
      port: 3000,
      host: '127.0.0.1',
      metricsHost: '127.0.0.1',
      dataDir: resolve('.data'),
      production: false,
      databaseUrls: {},
      eventStream: {},
      jwt: {},
      pin: {},
      callerKeys: {},
      callerStatements: 'required',
      rateLimitPerMinute: 600,
      callsMax: 160,
      trustedProxies: [],
      corsOrigins: 'any',
      drainDelayS: 0,
      logLevel: 'warn',
      clock: 'system',
      nodeId: `association.${hostname().toLowerCase()}-${String(process.pid)}`,
    };
    expect(loadSettings({})).to.deep.equal(defaults);
    expect(loadSettings({ PORT: '', NATS_URL: ' ', JWT_SECRET: '' })).to.deep.equal(defaults);
  });

  const month_ms = 30 * 24 * 3_600_000;
  const half_day_ms = 12 * 3_600_000;
  const origins = ['https://a.example', 'http://localhost:5173', 'capacitor://localhost'];
  const url = 'postgres://treasury:p%40ss@db:5432/ledger';
  const taken: [NodeJS.ProcessEnv, Partial<Settings>][] = [
    [{ NODE_ENV: 'production' }, { production: true, logLevel: 'info', drainDelayS: 5 }],
    [
      { NODE_ENV: 'production', LOG_LEVEL: 'debug', DRAIN_DELAY_S: '0' },
      { logLevel: 'debug', drainDelayS: 0 },
    ],
    [{ TREASURY_DATABASE_URL: url }, { databaseUrls: { treasury: url } }],
    [
      { TREASURY_CALLER_KEY: `${'n'.repeat(32)}, ${'o'.repeat(32)}` },
      { callerKeys: { treasury: ['n'.repeat(32), 'o'.repeat(32)] } },
    ],
    [{ RATE_LIMIT: ' 60 ' }, { rateLimitPerMinute: 60 }],
    [{ RATE_LIMIT: 'OFF' }, { rateLimitPerMinute: 'off' }],
    [{ TRUSTED_PROXIES: '10.0.0.0/8, ::1,,192.0.2.7' }, { trustedProxies: ['10.0.0.0/8', '::1', '192.0.2.7'] }],
    [
      { EVENTS_REPLICAS: '3', EVENTS_MAX_AGE: ' 30D ', EVENTS_MAX_BYTES: '5000000000' },
      { eventStream: { replicas: 3, maxAgeMs: month_ms, maxBytes: 5_000_000_000 } },
    ],
    [{ EVENTS_MAX_AGE: '12h' }, { eventStream: { maxAgeMs: half_day_ms } }],
    [{ EVENTS_MAX_AGE: 'off', EVENTS_MAX_BYTES: 'OFF' }, { eventStream: { maxAgeMs: 0, maxBytes: -1 } }],
    [{ CORS_ORIGINS: ' * ' }, { corsOrigins: 'any' }],
    [{ CORS_ORIGINS: 'OFF' }, { corsOrigins: 'off' }],
    [{ CORS_ORIGINS: origins.join(', ') }, { corsOrigins: origins }],
    // The line breaks of a PEM may be escaped.
    [{ JWT_PUBLIC_KEY: publicKey.replaceAll('\n', '\\n') }, { jwt: { publicKeyPem: publicKey } }],
    [
      { JWT_PUBLIC_KEY: publicKey, JWT_ALGORITHMS: 'ES256' },
      { jwt: { publicKeyPem: publicKey, algorithms: ['ES256'] } },
    ],
  ];
  const issuer = 'https://id.example/realms/groups';
  const discovered = { provider: { issuer }, issuer, audience: 'association-service', types: ['at+jwt'] };
  taken.push(
    [{ OIDC_ISSUER: ` ${issuer} ` }, { jwt: discovered }],
    [{ OIDC_ISSUER: issuer, NODE_ENV: 'production' }, { jwt: discovered }],
    [
      { OIDC_ISSUER: issuer, JWT_AUDIENCE: 'groups', JWT_TYPES: 'application/AT+JWT, JWT', JWT_ALGORITHMS: 'ES256' },
      { jwt: { ...discovered, audience: 'groups', types: ['at+jwt', 'jwt'], algorithms: ['ES256'] } },
    ],
  );
  for (const host of ['localhost:8080', '127.1.2.3', '[::1]']) {
    const local = `http://${host}/`;
    const env = { OIDC_ISSUER: local, NODE_ENV: 'production' };
    taken.push([env, { jwt: { ...discovered, provider: { issuer: local }, issuer: local } }]);
  }
  for (const [env, expected] of taken) {
    it(`are read from ${JSON.stringify(env).slice(0, 80)}`, () => expect(loadSettings(env)).to.deep.include(expected));
  }

  const refused: Record<string, string[]> = {
    PORT: ['http', '65536'],
    LOG_LEVEL: ['loud'],
    POSTGRES_URL: [
      'mysql://root:hunter2@db/x',
      ...[
        'require',
        'prefer',
        'no-verify',
        'verify-ca',
        'disable&sslmode=verify-full',
        'disable&sslrootcert=hunter2',
      ].map((mode) => `postgres://root:hunter2@db/x?sslmode=${mode}`),
      ...['ssl=true', 'sslrootcert=hunter2', 'sslmode=verify-full&uselibpqcompat=true', 'sslnegotiation=direct'].map(
        (search) => `postgres://root:hunter2@db/x?${search}`,
      ),
    ],
    TREASURY_DATABASE_URL: ['hunter2'],
    NATS_URL: ['http://user:hunter2@nats', 'nats://one,', 'tls://nats,tls://u:hunter2@10.0.0.1', 'tls://[::1]:4222'],
    JWT_JWKS_URL: ['file:///etc/hunter2', 'https://user:hunter2@id.example/jwks'],
    OIDC_ISSUER: ['id.example', 'https://me:hunter2@id.example', 'https://id.example?hunter2', 'https://id.example#'],
    JWT_TYPES: [',', 'hunter 2', 'text/hunter2'],
    JWT_PUBLIC_KEY: ['hunter2', privateKey],
    JWT_ALGORITHMS: ['none', 'HS256,none', 'hs256', ',', 'RS256'],
    PIN_PEPPER: ['hunter2', 'x'.repeat(31)],
    TREASURY_CALLER_KEY: [
      'hunter2',
      `${'x'.repeat(32)},hunter2`,
      `${`${'x'.repeat(32)},`.repeat(2)}hunter2`.padEnd(128, 'x'),
    ],
    CALLER_STATEMENTS: ['hunter2', 'off'],
    DRAIN_DELAY_S: ['1.5', '301'],
    EVENTS_REPLICAS: ['0', '6'],
    EVENTS_MAX_AGE: ['30', '0d', '3651d'],
    EVENTS_MAX_BYTES: ['1024', '10GB'],
    RATE_LIMIT: ['0', '-1', '1.5', 'hunter2', '1000001'],
    CALLS_MAX: ['0', '2501', 'hunter2', 'off'],
    TRUSTED_PROXIES: ['hunter2', '10.0.0.0/33', '10.0.0.1 10.0.0.2'],
    CORS_ORIGINS: ['hunter2', ',', 'https://a.example/', 'https://a.example,*', 'https://u:hunter2@a.example'],
  };
  for (const [variable, values] of Object.entries(refused)) {
    it(`refuse a wrong ${variable} with a message of one line that names the variable, not the value`, () => {
      for (const value of values) {
        const load = () => loadSettings({ [variable]: value });
        expect(load, value).to.throw(StartupError, new RegExp(`^${variable} must [^\\n]+$`));
        expect(load, value).not.to.throw('hunter2');
      }
    });
  }

  it('refuse an HMAC algorithm for a public key', () => {
    for (const key of [{ JWT_PUBLIC_KEY: publicKey }, { OIDC_ISSUER: issuer }]) {
      const load = () => loadSettings({ ...key, JWT_ALGORITHMS: 'HS256' });
      expect(load).to.throw(StartupError, /^JWT_ALGORITHMS must/);
    }
  });

  it('refuse what contradicts an issuer: another source of keys, and another issuer', () => {
    const file = import.meta.filename;
    for (const [name, value] of [
      ['JWT_SECRET', 'hunter2'],
      ['JWT_SECRET_FILE', file],
      ['JWT_PUBLIC_KEY', publicKey],
      ['JWT_PUBLIC_KEY_FILE', file],
      ['JWT_JWKS_URL', 'https://id.example/jwks'],
      ['JWT_ISSUER', issuer],
    ] as const) {
      const load = () => loadSettings({ OIDC_ISSUER: issuer, [name]: value });
      const message = `OIDC_ISSUER and ${name} are both set: remove one of them.`;
      expect(load, name).to.throw(StartupError).with.property('message', message);
    }
  });

  it('refuse an issuer without TLS in production, unless it is on the same machine', () => {
    for (const host of ['id.example', '127.0.0.1.id.example', 'localhost.id.example', '10.0.0.1']) {
      const env = { OIDC_ISSUER: `http://${host}` };
      expect(loadSettings(env).jwt.issuer).to.equal(env.OIDC_ISSUER);
      const load = () => loadSettings({ ...env, NODE_ENV: 'production' });
      expect(load, host).to.throw(StartupError, /^OIDC_ISSUER must be an https URL in production[^\n]+$/);
    }
  });
});

const CALLER_KEYS = Object.fromEntries(
  TABLE_SERVICES.map((name) => [`${name.toUpperCase()}_CALLER_KEY`, name.padEnd(32, '-')]),
);

describe('settings of production', () => {
  const complete = {
    NODE_ENV: 'production',
    JWT_SECRET: 'x'.repeat(32),
    PIN_PEPPER: 'p'.repeat(32),
    PIN_PRIVATE_KEYS_FILE: '/keys.json',
    POSTGRES_URL: 'postgres://admin:pw@db/postgres',
    NATS_URL: 'nats:4222',
    ...CALLER_KEYS,
  };
  const require = (env: NodeJS.ProcessEnv, services = SERVICES as readonly (typeof SERVICES)[number][]) => {
    requireForProduction(loadSettings(env), services);
  };

  it('must be complete, in production only', () => {
    require(complete);
    require({});
    for (const variable of Object.keys(complete).slice(1)) {
      expect(() => require({ ...complete, [variable]: '' })).to.throw(StartupError, variable);
    }
    require({ ...complete, JWT_SECRET: '', OIDC_ISSUER: 'https://id.example' });
    const short = { ...complete, JWT_SECRET: 'x'.repeat(31) };
    expect(() => require(short)).to.throw(StartupError, /^JWT_SECRET .* 32 bytes/);
  });

  it('must not have the test clock', () => {
    expect(() => require({ ...complete, CLOCK: 'test' })).to.throw(StartupError, /^CLOCK=test [^\n]+$/);
  });

  it('must include for a service only the variables that it reads', () => {
    const { NODE_ENV, NATS_URL } = complete;
    const env = {
      NODE_ENV,
      NATS_URL,
      TREASURY_DATABASE_URL: 'postgres://treasury:pw@db/treasury',
      TREASURY_CALLER_KEY: 'k'.repeat(32),
    };
    require(env, ['treasury']);
    const both = () => require(env, ['treasury', 'governance']);
    expect(both).to.throw(StartupError, 'GOVERNANCE_DATABASE_URL (or POSTGRES_URL)');
    const { JWT_SECRET } = complete;
    expect(() => require({ ...env, JWT_SECRET }, ['gateway'])).to.throw(StartupError, 'MEMBERSHIP_CALLER_KEY');
  });
});

describe('a secret that is replaced', () => {
  const first = { JWT_SECRET: 'x'.repeat(32), JWT_PUBLIC_KEY: publicKey, PIN_PEPPER: 'p'.repeat(32) };
  const second = {
    JWT_SECRET_SECOND: 'y'.repeat(32),
    JWT_PUBLIC_KEY_SECOND: publicKey,
    PIN_PEPPER_SECOND: 'q'.repeat(32),
  };

  it('has a second one beside it', () => {
    const { jwt, pin } = loadSettings({ ...first, ...second });
    expect(jwt).to.include({ secondSecret: second.JWT_SECRET_SECOND, secondPublicKeyPem: publicKey });
    expect(pin).to.deep.equal({ pepper: first.PIN_PEPPER, secondPepper: second.PIN_PEPPER_SECOND });
  });

  for (const [name, value] of Object.entries(second)) {
    it(`is set too: ${name}`, () => {
      const alone = name.replace('_SECOND', '');
      expect(() => loadSettings({ [name]: value })).to.throw(StartupError, `${name} needs ${alone}`);
    });
  }

  it('has at least 32 bytes in production, as has the second one', () => {
    const NATS_URL = 'nats://a';
    const env = { ...first, ...CALLER_KEYS, NODE_ENV: 'production', NATS_URL };
    const settings = loadSettings({ ...env, JWT_SECRET_SECOND: 'short' });
    expect(() => requireForProduction(settings, ['gateway'])).to.throw(StartupError, /^JWT_SECRET_SECOND is too short/);
  });
});

describe('server URLs', () => {
  it('have the files for TLS with NATS', () => {
    const file = import.meta.filename;
    const files = { NATS_TLS_CA_FILE: file, NATS_TLS_CERT_FILE: file, NATS_TLS_KEY_FILE: file };
    const urls = loadSettings({ NATS_URL: 'tls://one,tls://two', NATS_PASSWORD: 'p/w', ...files }, 'treasury').natsUrl;
    expect(natsConnectOptions(urls ?? '')).to.deep.include({
      servers: ['one', 'two'],
      user: 'treasury',
      pass: 'p/w',
      tls: { caFile: file, certFile: file, keyFile: file },
      ignoreClusterUpdates: true,
    });
    expect(natsConnectOptions('nats://one')).not.to.have.any.keys('tls', 'ignoreClusterUpdates');
  });

  for (const [env, message] of [
    [{ NATS_URL: 'nats://one', NATS_TLS_CA_FILE: import.meta.filename }, 'need tls:// in NATS_URL.'],
    [{ NATS_TLS_CA_FILE: import.meta.filename }, 'need tls:// in NATS_URL.'],
    [{ NATS_URL: 'tls://one', NATS_TLS_CERT_FILE: import.meta.filename }, 'belong together: set both or none.'],
    [
      { NATS_URL: 'tls://one', NATS_TLS_KEY_FILE: '/absent' },
      'NATS_TLS_KEY_FILE names a file that cannot be read (ENOENT).',
    ],
  ] as const) {
    it(`need what belongs to them: ${JSON.stringify(env).slice(0, 80)}`, () => {
      expect(() => loadSettings(env)).to.throw(StartupError, message);
    });
  }

  it('configure the servers and credentials of NATS clients', () => {
    const urls = loadSettings({ NATS_URL: 'nats://me:p%2Fw@one:4222, two:4333' }).natsUrl ?? '';
    expect(natsConnectOptions(urls)).to.deep.include({ servers: ['one:4222', 'two:4333'], user: 'me', pass: 'p/w' });
    expect(natsConnectOptions('tls://secret@one')).to.deep.include({ servers: ['one'], token: 'secret', tls: {} });
  });

  it('are shown without credentials', () => {
    expect(hostAndPort('nats://me:pw@one,nats://two:4333', 4222)).to.equal('one:4222, two:4333');
  });
});
