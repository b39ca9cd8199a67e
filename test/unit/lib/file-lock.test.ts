import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect } from 'chai';
import { isFileLocked, lockFile } from '../../../lib/files/file-lock.ts';

describe('the lock of a file', () => {
  let directory: string;
  let path: string;

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'file-lock-'));
    path = join(directory, 'lock');
  });
  after(() => rm(directory, { recursive: true, force: true }));

  it('has one holder at a time, and is seen by others until it is released', () => {
    const lock = lockFile(path);
    expect(lockFile(path)).to.equal(undefined);
    expect(isFileLocked(path)).to.equal(true);
    lock?.release();
    expect(isFileLocked(path)).to.equal(false);
    lockFile(path)!.release();
  });

  it('is not taken for held while another process only asks', () => {
    const reader = new DatabaseSync(path, { readOnly: true });
    reader.exec('BEGIN; SELECT 1 FROM sqlite_schema');
    expect(isFileLocked(path)).to.equal(false);
    reader.close();
  });

  it('cannot be looked at if the file does not exist', () => {
    expect(() => isFileLocked(join(directory, 'missing'))).to.throw();
  });
});
