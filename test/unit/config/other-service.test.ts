import { expect } from 'chai';
import { readServiceSettings } from '../../../lib/config/other-service.ts';
import { StartupError } from '../../../lib/config/startup-error.ts';

describe('the settings of a service of another team', () => {
  const NEEDED = { NATS_URL: 'a:4222,b:4222', DATABASE_URL: 'postgres://payroll@db/payroll' };

  it('have the service as the login, and defaults', () => {
    const { nodeId, env, ...settings } = readServiceSettings('payroll', {
      ...NEEDED,
      NATS_PASSWORD: 'p/w',
      CALLER_KEY: `${'o'.repeat(32)},${'n'.repeat(32)}`,
      LOG_LEVEL: '',
    });
    expect(settings).to.deep.equal({
      natsUrl: 'nats://payroll:p%2Fw@a:4222,nats://payroll:p%2Fw@b:4222',
      databaseUrl: 'postgres://payroll@db/payroll',
      metricsHost: '127.0.0.1',
      metricsPort: undefined,
      logLevel: 'info',
      production: false,
      callerKeys: ['o'.repeat(32), 'n'.repeat(32)],
      clock: 'system',
    });
    expect(nodeId).to.match(/^payroll\../);
    expect(env).to.include(NEEDED);
  });

  it('keep passwords apart from URLs, and do not replace those in URLs', () => {
    const given = { NATS_URL: 'nats://u:v@a', NATS_PASSWORD: 'w', DATABASE_PASSWORD: 'x', NATS_USER: 'other' };
    const { natsUrl, databaseUrl } = readServiceSettings('payroll', { ...NEEDED, ...given });
    expect([natsUrl, databaseUrl]).to.deep.equal(['nats://u:v@a', 'postgres://payroll:x@db/payroll']);
  });

  for (const [changed, message] of [
    [
      { NATS_URL: '' },
      'NATS_URL is not set: it must be nats://host:port or tls://host:port, several with commas between.',
    ],
    [{ METRICS_PORT: '70000' }, 'METRICS_PORT must be a port, 0 to 65535.'],
    [{ LOG_LEVEL: 'loud' }, 'LOG_LEVEL must be one of fatal, error, warn, info, debug, trace.'],
    [
      { NATS_URL: 'tls://a', NATS_TLS_CA_FILE: '/absent' },
      'NATS_TLS_CA_FILE names a file that cannot be read (ENOENT).',
    ],
    [
      { DATABASE_URL: 'postgres://payroll@db/payroll?sslmode=verify-full&sslrootcert=/absent' },
      'sslrootcert in DATABASE_URL names a file that cannot be read (ENOENT).',
    ],
    [{ NATS_PASSWORD_FILE: '/absent' }, 'NATS_PASSWORD_FILE names a file that cannot be read (ENOENT).'],
  ] as const) {
    it(`are refused in one line: ${JSON.stringify(changed)}`, () => {
      expect(() => readServiceSettings('payroll', { ...NEEDED, ...changed })).to.throw(StartupError, message);
    });
  }
});
