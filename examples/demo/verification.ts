import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { insist, type Group } from './group.ts';
import { chapter, say } from './narrator.ts';
import type { Person } from './person.ts';

const verifier = join(import.meta.dirname, '..', '..', 'cli', 'verify.ts');

/**
 * Returns the output of `npm run verify` for a file.
 * @throws if the file is not valid
 */
export async function verify(kind: 'draw' | 'ledger', content: Buffer): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'verify-'));
  try {
    const file = join(folder, kind);
    await writeFile(file, content);
    const { stdout } = await promisify(execFile)(process.execPath, [verifier, kind, file]);
    return stdout.trim();
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Lets the last member of each group export its ledger and verify it without the service. */
export async function verifyLedgers(groups: Group[]): Promise<void> {
  chapter('Verification: every ledger is checked without the service');
  for (const group of groups) {
    const member = group.people.at(-1) as Person;
    const exported = await member.file(`${group.path}/ledger/export`, 'application/x-ndjson');
    const verdict = await verify('ledger', exported);
    const head = await member.get(`${group.path}/ledger/head`);
    insist(
      verdict.includes(`${String(head.seq)} transfers, head ${String(head.hash)}`),
      `The export does not end at the head that the service shows: ${JSON.stringify(head)}`,
    );
    say(`${member.name} exports the ledger of "${group.name}": ${verdict.split('\n', 1).join()}`);
  }
}
