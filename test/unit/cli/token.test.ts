import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { loadSettings } from '../../../lib/config/settings.ts';
import { tokenVerifier } from '../../../services/gateway/tokens/verifier.ts';
import { startProcess } from '../../harness/process.ts';

/** Runs the command, and returns its exit code and output. */
async function token(args: string[], env: NodeJS.ProcessEnv) {
  const started = startProcess(['cli/token.ts', ...args], { env, printsSecret: true });
  return { code: await started.ended, output: started.output() };
}

describe('npm run token', () => {
  it('prints a token that a gateway with the same settings accepts', async () => {
    const env = {
      JWT_SECRET: 'a secret for tests that is long enough',
      JWT_ISSUER: 'https://id.example',
      JWT_AUDIENCE: 'association-service',
      JWT_TYPES: 'at+jwt',
    };
    const { code, output } = await token(['awa', '--name', 'Awa', '--scope', 'wallets:fund'], env);
    expect(code).to.equal(0);
    const caller = await tokenVerifier(loadSettings(env).jwt, () => new Date())(`Bearer ${output.trimEnd()}`);
    expect(caller).to.deep.equal({ user_id: 'awa', name: 'Awa', scopes: ['wallets:fund'] });
  });

  it('says whose token it is if it has made the secrets for it', async () => {
    const DATA_DIR = await mkdtemp(join(tmpdir(), 'association-token-'));
    try {
      const first = await token(['awa'], { DATA_DIR });
      expect(first.output).to.include(`for servers with DATA_DIR=${DATA_DIR}, whose secrets have just been made`);
      expect((await token(['awa'], { DATA_DIR })).output).to.match(/^\S+\n$/);
    } finally {
      await rm(DATA_DIR, { recursive: true });
    }
  });

  it('cannot sign for an identity provider, and says so in one line', async () => {
    const { code, output } = await token(['awa'], { OIDC_ISSUER: 'https://id.example' });
    expect(code).to.equal(1);
    expect(output).to.match(/^This command signs with JWT_SECRET: [^\n]+\n$/);
  });
});
