import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { findNatsServer } from '../../../lib/embedded/nats-binary.ts';
import { startRefusalOf } from '../../harness/refusal.ts';

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

  it('is the program on PATH if its version is supported', async () => {
    const file = program('v2.9.0');
    expect(await find()).to.equal(file);
  });

  for (const [what, version] of [['missing'], ['too old', 'v2.8.4']] as const) {
    it(`is not downloaded if it is ${what}: the refusal names the brew command in one line`, async () => {
      if (version !== undefined) program(version);
      const said: string[] = [];
      expect(await startRefusalOf(find(said))).to.match(/^No nats-server .*`brew install nats-server`/);
      expect(said).to.deep.equal([]);
      expect(existsSync(join(dir, 'cache'))).to.equal(false);
    });
  }
});
