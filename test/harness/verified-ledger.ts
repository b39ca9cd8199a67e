import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import type { HttpClient } from './http.ts';

const VERIFIER = join(import.meta.dirname, '..', '..', 'examples', 'verify-ledger.mjs');

/** Verifies the exported ledger of an association, up to the head that the service shows, by the stand-alone script. */
export async function expectValidLedger(member: HttpClient, path: string): Promise<void> {
  const { status, text } = await member.get(`${path}/ledger/export`);
  expect(status, text).to.equal(200);
  const { seq, hash } = await member.ok(`${path}/ledger/head`);
  // The verifier refuses an empty file, which a random group without transfers has.
  if (seq === 0) {
    expect(text).to.equal('');
    return;
  }
  const folder = await mkdtemp(join(tmpdir(), 'ledger-'));
  try {
    const file = join(folder, 'ledger.ndjson');
    await writeFile(file, text);
    const { stdout } = await promisify(execFile)(process.execPath, [VERIFIER, file]);
    expect(stdout).to.contain(`VALID: ${String(seq)} transfers, head ${String(hash)}`);
  } finally {
    await rm(folder, { recursive: true });
  }
}
