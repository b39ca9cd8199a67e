import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { StartupError } from '../../../lib/config/startup-error.ts';
import { findNatsServer } from '../../../lib/embedded/nats-binary.ts';

describe('nats-server on macOS', () => {
  const path = process.env['PATH'];
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'association-nats-binary-'));
    process.env['PATH'] = dir;
  });
  afterEach(() => {
    process.env['PATH'] = path;
    rmSync(dir, { recursive: true, force: true });
  });

  const find = (said: string[] = []) => findNatsServer((line) => said.push(line), join(dir, 'cache'), 'darwin');

  function program(version: string): string {
    const file = join(dir, 'nats-server');
    writeFileSync(file, `#!/bin/sh\necho nats-server: ${version}\n`);
    chmodSync(file, 0o755);
    return file;
  }

  it('is the one on PATH', async () => {
    const file = program('v2.9.0');
    expect(await find()).to.equal(file);
  });

  for (const [what, prepare] of [
    ['missing', () => undefined],
    ['too old', () => program('v2.8.4')],
  ] as const) {
    it(`is installed with brew where it is ${what}, as one line says; nothing is fetched`, async () => {
      prepare();
      const said: string[] = [];
      const error = await find(said).catch((reason: unknown) => reason);
      expect(error).to.be.instanceOf(StartupError);
      expect((error as Error).message).to.match(/^No nats-server [^\n]*`brew install nats-server`[^\n]*$/);
      expect(said).to.deep.equal([]);
      expect(existsSync(join(dir, 'cache'))).to.equal(false);
    });
  }
});
