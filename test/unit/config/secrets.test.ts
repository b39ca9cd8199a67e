import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { loadOrCreateSecrets } from '../../../lib/config/secrets.ts';
import { loadSettings } from '../../../lib/config/settings.ts';
import { StartupError } from '../../../lib/config/startup-error.ts';
import { resolveSecrets } from '../../../lib/node/create-runtime.ts';
import { startRefusalOf } from '../../harness/refusal.ts';

const OWN_PEPPER = 'own'.repeat(11);

describe('development secrets', () => {
  let dir: string;
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'association-secrets-'));
  });
  afterEach(() => rm(dir, { recursive: true, force: true }));

  it('are created once, readable by their owner only, even if many processes start concurrently', async () => {
    const dataDir = join(dir, 'data');
    const [first, ...others] = await Promise.all(Array.from({ length: 20 }, () => loadOrCreateSecrets(dataDir)));
    for (const other of others) expect(other).to.deep.equal(first);
    expect(await loadOrCreateSecrets(dataDir)).to.deep.equal(first);
    expect(await readdir(dataDir)).to.deep.equal(['secrets.json']);
    expect((await stat(join(dataDir, 'secrets.json'))).mode & 0o777).to.equal(0o600);
    const secrets = Object.values({ ...first, ...first?.databasePasswords }).filter(
      (value) => typeof value === 'string',
    );
    expect(new Set(secrets).size).to.equal(8);
    for (const secret of secrets) expect(Buffer.from(secret, 'base64url').length).to.equal(32);
  });

  it('are not replaced if their file is damaged', async () => {
    await writeFile(join(dir, 'secrets.json'), '{"jwtSecret":"x"');
    expect(await startRefusalOf(loadOrCreateSecrets(dir))).to.contain('secrets.json is damaged');
  });

  it('complete the settings, which take precedence', async () => {
    const made = await loadOrCreateSecrets(dir);
    const secrets = await resolveSecrets(loadSettings({ DATA_DIR: dir, JWT_ISSUER: 'me' }));
    expect(secrets.jwt).to.deep.equal({ issuer: 'me', secret: made.jwtSecret });
    expect(secrets.pinPepper).to.equal(made.pinPepper);
    expect(secrets.pinKeysFile).to.equal(join(dir, 'pin-keys.json'));
    const own = await resolveSecrets(
      loadSettings({ DATA_DIR: dir, PIN_PEPPER: OWN_PEPPER, JWT_JWKS_URL: 'https://id/jwks' }),
    );
    expect(own.pinPepper).to.equal(OWN_PEPPER);
    expect(own.jwt).to.deep.equal({ provider: { jwksUrl: 'https://id/jwks' } });
  });

  it('are never created in production', async () => {
    const secrets = await resolveSecrets(loadSettings({ NODE_ENV: 'production', DATA_DIR: dir }));
    expect(() => secrets.pinPepper).to.throw(StartupError, 'PIN_PEPPER');
    expect(() => secrets.pinKeysFile).to.throw(StartupError, 'PIN_PRIVATE_KEYS_FILE');
    expect(await readdir(dir)).to.deep.equal([]);
  });
});
