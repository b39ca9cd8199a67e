/** What it takes to follow a recipe of CONTRIBUTING.md: files to write, and lines to change in files that are there. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

export interface Recipe {
  /** The heading of its section in CONTRIBUTING.md. */
  readonly heading: string;
  /** New files: path -> text. */
  readonly writes: Readonly<Record<string, string>>;
  /** Files that are there: path -> changes, each of which has to find its place. */
  readonly changes: Readonly<Record<string, readonly Change[]>>;
  /** Files that a command writes. */
  readonly generates?: readonly { readonly path: string; readonly script: string }[];
}

export interface Change {
  readonly find: string | RegExp;
  /** With `$&` and the like of String.replace(). */
  readonly put: string;
}

/** The files that the recipe touches, in order. */
export function filesOf({ writes, changes, generates = [] }: Recipe): string[] {
  return [...Object.keys(writes), ...Object.keys(changes), ...generates.map(({ path }) => path)].toSorted();
}

/** Writes and changes the files below `root`; what commands generate is left to the caller. */
export async function follow({ writes, changes }: Recipe, root: string): Promise<void> {
  for (const [path, text] of Object.entries(writes)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text, { flag: 'wx' });
  }
  for (const [path, list] of Object.entries(changes)) {
    let text = await readFile(join(root, path), 'utf8');
    for (const { find, put } of list) {
      const changed = text.replace(find, put);
      if (changed === text) throw new Error(`${path} has no place for: ${put}`);
      text = changed;
    }
    await writeFile(join(root, path), text);
  }
}

/** Adds a line to the imports of a file. */
export function importing(line: string): Change {
  return { find: /^import /m, put: `${line}\n$&` };
}

/**
 * The files that a section of the document names: the first piece of code of each numbered item. `<name>` stands for
 * one part of a path.
 * @throws Error if there is no such section
 */
export function filesNamed(document: string, heading: string): string[] {
  const [, section] = document.split(`\n## ${heading}\n`);
  if (section === undefined) throw new Error(`There is no section "${heading}"`);
  const [items = ''] = section.split('\n## ');
  return [...items.matchAll(/^\d+\. [^`]*`([^`]+)`/gm)].map(([, path]) => path ?? '');
}

/** The files that no named path fits, and the named paths that fit no file. */
export function differences(named: readonly string[], files: readonly string[]): string[] {
  const patterns = named.map((path) => ({
    path,
    pattern: new RegExp(`^${path.replaceAll('.', '\\.').replace(/<[^>]+>/g, '[^/]+')}$`),
  }));
  const unnamed = files.filter((file) => !patterns.some(({ pattern }) => pattern.test(file)));
  const untouched = patterns.filter(({ pattern }) => !files.some((file) => pattern.test(file)));
  const isSameCount = named.length === files.length;
  return [
    ...unnamed.map((file) => `${file} is not named`),
    ...untouched.map(({ path }) => `${path} is not touched`),
    ...(isSameCount ? [] : [`${String(named.length)} are named, ${String(files.length)} are touched`]),
  ];
}
