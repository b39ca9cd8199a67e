import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What stands for the parts of a step's name that are not written where it is announced. */
const PARTS: Record<string, readonly string[]> = {
  'settlement.kind': ['settlement', 'cancellation'],
};

const root = join(import.meta.dirname, '..', '..');
const sources = globSync('{lib,services}/**/*.ts', { cwd: root }).map((file) => readFileSync(join(root, file), 'utf8'));

/** The arguments of each call of `reached()` in a source; declarations have a type there, not a text. */
function announcedIn(source: string): string[] {
  const calls = [...source.matchAll(/(this|runtime)\.reached\(([^;]*)\);/g)];
  return calls.flatMap(([, by, argument = '']) => {
    const names = [...argument.matchAll(/'([^']+)'|`([^`]+)`/g)].map(([, text, template]) => text ?? template ?? '');
    if (names.length === 0) throw new Error(`No step can be read in reached(${argument})`);
    return names.flatMap((name) =>
      by === 'this' ? plansOf(source).map((plan) => `treasury.${plan}.${name}`) : named(name),
    );
  });
}

/** The plans whose steps a saga of the treasury announces: its own, or, in the base class, all. */
function plansOf(source: string): string[] {
  const own = /super\('(\w+)'/.exec(source)?.[1];
  return own === undefined ? sources.flatMap((each) => /super\('(\w+)', deps/.exec(each)?.[1] ?? []) : [own];
}

function named(name: string): string[] {
  const part = /\$\{([^}]+)\}/.exec(name);
  if (part === null) return [name];
  // The base class of the treasury's sagas puts the name together from what its sagas announce, which is read there.
  if (name === 'treasury.${this.#name}.${step}') return [];
  const values = PARTS[part[1] ?? ''];
  if (values === undefined) throw new Error(`What can stand for ${part[0]} in ${name}?`);
  return values.flatMap((value) => named(name.replace(part[0], value)));
}

/** Every step at which a service announces that it has come to it: the chaos tests kill a process at each. */
export function announcedSteps(): string[] {
  return [...new Set(sources.flatMap(announcedIn))].sort();
}
