/** What the processes of a run have written, and what none of them may write. */
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findServers } from './run-servers.ts';

/** Shorter texts, such as a PIN of four digits, also occur by chance. */
const SECRET_MIN_CHARACTERS = 6;

function folderOf(kind: string): string | undefined {
  const servers = findServers();
  if (servers === undefined) return undefined;
  const folder = join(servers.folder, kind);
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** Keeps a part of the output of a process. */
export function keepOutput(pid: number, part: Buffer): void {
  const folder = folderOf('output');
  if (folder !== undefined) appendFileSync(join(folder, `${String(pid)}.log`), part);
}

/** Keeps texts that no process may write: secrets, PINs, tokens and full names. */
export function keepSecrets(...secrets: readonly string[]): void {
  const folder = folderOf('secrets');
  const long = secrets.filter((secret) => secret.length >= SECRET_MIN_CHARACTERS);
  if (folder === undefined || long.length === 0) return;
  appendFileSync(join(folder, `${String(process.pid)}.txt`), `${long.join('\n')}\n`);
}

/** Returns the output of all processes of the run so far. */
export function allOutput(): string[] {
  return linesIn('output');
}

/** Returns all texts of keepSecrets(). */
export function allSecrets(): Set<string> {
  return new Set(linesIn('secrets'));
}

function linesIn(kind: string): string[] {
  const folder = folderOf(kind);
  if (folder === undefined || !existsSync(folder)) return [];
  const contents = readdirSync(folder).map((file) => readFileSync(join(folder, file), 'utf8'));
  return contents.flatMap((content) => content.split('\n')).filter((line) => line !== '');
}
