import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { freePort } from '../harness/free-port.ts';
import { installedProgram } from '../harness/installed-program.ts';
import { ROOT, startService, type Started } from '../harness/process.ts';

/** The commands start about 20 Node processes one after another. */
const RUN_TIMEOUT_MS = 120_000;
/** Options of an interactive shell, in which bash expands `!`, without the user's start files. */
const SHELLS: Record<string, string[]> = { bash: ['--norc', '--noprofile', '-i', '-c'], zsh: ['-f', '-i', '-c'] };

describe("the README's first five minutes", function () {
  this.timeout(RUN_TIMEOUT_MS);
  let env: NodeJS.ProcessEnv;
  let script: string;
  let service: Started;
  let dataDir: string;

  before(async () => {
    const readme = await readFile(join(ROOT, 'README.md'), 'utf8');
    const chapter = /## First five minutes\n(.*?)\n## /s.exec(readme)?.[1] ?? '';
    const port = String(await freePort());
    script = [...chapter.matchAll(/```sh\n(.*?)```/gs)]
      .map((block) => block[1])
      .join('\n')
      .replace(':3000/', `:${port}/`);
    dataDir = await mkdtemp(join(tmpdir(), 'association-readme-'));
    env = { ...process.env, DATA_DIR: dataDir, PORT: port };
    service = await startService(['cli/start.ts'], { env });
  });
  after(async () => {
    await service.end();
    await rm(dataDir, { recursive: true, force: true });
  });

  it('contain no comments, because zsh does not accept comments at its prompt', () => {
    expect(script).not.to.match(/(^|\s)#/m);
  });

  // .ci/run installs zsh.
  for (const [shell, args] of Object.entries(SHELLS).filter(([name]) => installedProgram(name) !== undefined)) {
    it(`work in ${shell}`, async () => {
      const { stdout, stderr } = await promisify(execFile)(shell, [...args, script], {
        cwd: ROOT,
        env,
        timeout: RUN_TIMEOUT_MS,
        maxBuffer: 16 * 1_024 * 1_024,
      });
      // An interactive bash complains that it has no terminal.
      const complaints = stderr
        .split('\n')
        .filter((line) => line !== '' && !/terminal process group|job control/.test(line));
      expect(complaints).to.deep.equal([]);
      expect(stdout).not.to.match(/\/problems\/|undefined|null\n/);
      expect(stdout.match(/"status":"paid"/g)).to.have.length(4);
      expect(stdout.match(/^50000$/gm)).to.have.length(2);
      expect(stdout).to.match(/VALID: 6 transfers, head [0-9a-f]{64}/);
    });
  }
});
