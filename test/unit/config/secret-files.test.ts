import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { IN_FILES } from '../../../lib/config/variables.ts';
import { natsConnectOptions } from '../../../lib/config/server-urls.ts';
import { loadSettings } from '../../../lib/config/settings.ts';
import { StartupError } from '../../../lib/config/startup-error.ts';

/** Has every character that has a meaning in a URL. */
const PASSWORD = `hunter2 /@#:?%&=+"'\\$[]{}é`;

describe('secrets in files', () => {
  let dir: string;
  before(() => {
    dir = mkdtempSync(join(tmpdir(), 'association-secret-files-'));
  });
  after(() => {
    rmSync(dir, { recursive: true, force: true });
  });

  function file(text: string): string {
    const path = join(dir, String(Math.random()));
    writeFileSync(path, text);
    return path;
  }

  it('are read for a variable X if X_FILE names a file, without the line break at the end', () => {
    const pepper = PASSWORD.padEnd(32, 'p');
    const settings = loadSettings({
      JWT_SECRET_FILE: file(`${PASSWORD}\n`),
      PIN_PEPPER_FILE: file(`  ${pepper}\r\n`),
      NATS_URL_FILE: file('nats://me:pw@one\n'),
      JWT_PUBLIC_KEY_FILE: ' ',
    });
    expect(settings.jwt).to.deep.equal({ secret: PASSWORD });
    expect(settings.pin.pepper).to.equal(`  ${pepper}`);
    expect(settings.natsUrl).to.equal('nats://me:pw@one');
  });

  it('complete URLs that have no password, and may contain any character', () => {
    const settings = loadSettings({
      POSTGRES_URL: 'postgres://postgres@db:5432/postgres',
      POSTGRES_PASSWORD: PASSWORD,
      TREASURY_DATABASE_URL: 'postgres://treasury@db/ledger?sslmode=verify-full',
      TREASURY_DATABASE_PASSWORD_FILE: file(PASSWORD),
      GOVERNANCE_DATABASE_URL: 'postgres://governance:its-own@db/governance',
      GOVERNANCE_DATABASE_PASSWORD: PASSWORD,
      MEMBERSHIP_DATABASE_PASSWORD: PASSWORD,
      NATS_URL: 'one:4222, tls://two',
      NATS_PASSWORD_FILE: file(PASSWORD),
    });
    const passwordOf = (url = '') => decodeURIComponent(new URL(url).password);
    expect(passwordOf(settings.postgresUrl)).to.equal(PASSWORD);
    expect(passwordOf(settings.databaseUrls.treasury)).to.equal(PASSWORD);
    expect(settings.databaseUrls.treasury).to.match(/^postgres:\/\/treasury:[^@/]+@db\/ledger\?sslmode=verify-full$/);
    expect(passwordOf(settings.databaseUrls.governance)).to.equal('its-own');
    expect(settings.databaseUrls).not.to.have.property('membership');
    expect(natsConnectOptions(settings.natsUrl ?? '')).to.deep.include({
      servers: ['one:4222', 'two'],
      user: 'association',
      pass: PASSWORD,
      tls: {},
    });
  });

  it('do not replace credentials in NATS_URL, and belong to NATS_USER if it is set', () => {
    const read = (env: NodeJS.ProcessEnv) => loadSettings({ ...env, NATS_PASSWORD: PASSWORD }).natsUrl;
    expect(read({ NATS_URL: 'nats://me:pw@one,two' })).to.equal('nats://me:pw@one,nats://two');
    const options = natsConnectOptions(read({ NATS_URL: 'one', NATS_USER: 'a/b' }) ?? '');
    expect(options).to.deep.include({ servers: ['one'], user: 'a/b', pass: PASSWORD });
  });

  it('are refused with a message of one line that names the variable, never the value', () => {
    const refusals: [string, NodeJS.ProcessEnv][] = [
      ['NATS_USER', { NATS_URL: 'one', NATS_USER: 'hunter2' }],
      ...IN_FILES.flatMap((name): [string, NodeJS.ProcessEnv][] => [
        [name, { [name]: 'hunter2', [`${name}_FILE`]: file('hunter2') }],
        [`${name}_FILE`, { [`${name}_FILE`]: join(dir, 'hunter2') }],
        [`${name}_FILE`, { [`${name}_FILE`]: dir }],
        [`${name}_FILE`, { [`${name}_FILE`]: file('\n') }],
      ]),
    ];
    expect(refusals.length).to.equal(1 + 4 * 28);
    for (const [variable, env] of refusals) {
      const refuse = () => loadSettings(env);
      expect(refuse).to.throw(StartupError, new RegExp(`^${variable} [^\\n]+$`));
      expect(refuse).not.to.throw('hunter2');
    }
  });
});
