import { readFileSync } from 'node:fs';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { STORIES } from './stories/index.ts';

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

describe('the stories of the chaos tests', () => {
  const deaths = STORIES.flatMap(({ acts }) => acts.flatMap((act) => act.deaths));

  it('pass through every step that a service announces, and no other', () => {
    const announced = new Set(sources.flatMap(announcedIn));
    expect(announced.size).to.be.greaterThan(40);
    expect([...new Set(deaths.map(({ step }) => step))].sort()).to.deep.equal([...announced].sort());
  });

  it('have each service die that claims idempotency keys', () => {
    const claiming = deaths.filter(({ step }) => step === 'idempotency.claimed').map(({ service }) => service);
    expect([...new Set(claiming)].sort()).to.deep.equal(['contribution', 'governance', 'membership', 'treasury']);
  });
});
