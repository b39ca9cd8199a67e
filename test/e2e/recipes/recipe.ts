/** The changes of a recipe in CONTRIBUTING.md: new files, and changes of lines in existing files. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

export interface Recipe {
  /** The heading of its section in CONTRIBUTING.md. */
  readonly heading: string;
  /** New files: path -> text. */
  readonly writes: Readonly<Record<string, string>>;
  /** Existing files: path -> changes, each of which must find its place. */
  readonly changes: Readonly<Record<string, readonly Change[]>>;
  /** Files that a command writes. */
  readonly generates?: readonly { readonly path: string; readonly script: string }[];
}

export interface Change {
  readonly find: string | RegExp;
  /** May contain the patterns of String.replace(), such as `$&`. */
  readonly put: string;
}

/** Returns the files that the recipe touches, sorted. */
export function filesOf({ writes, changes, generates = [] }: Recipe): string[] {
  return [...Object.keys(writes), ...Object.keys(changes), ...generates.map(({ path }) => path)].toSorted();
}

/** Writes and changes the files below `root`; the caller runs the commands that generate files. */
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

/** Creates a change that adds a line to the imports of a file. */
export function importing(line: string): Change {
  return { find: /^import /m, put: `${line}\n$&` };
}

/**
 * Returns the files that a section of the document names: the first piece of code of each numbered item. `<name>`
 * matches one part of a path.
 * @throws Error if there is no such section
 */
export function filesNamed(document: string, heading: string): string[] {
  const [, section] = document.split(`\n## ${heading}\n`);
  if (section === undefined) throw new Error(`There is no section "${heading}"`);
  const [items = ''] = section.split('\n## ');
  return [...items.matchAll(/^\d+\. [^`]*`([^`]+)`/gm)].map(([, path]) => path ?? '');
}

/** Returns complaints about files that no named path matches, and named paths that match no file. */
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
