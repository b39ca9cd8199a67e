import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SAGAS } from './sagas.ts';

/** The engine names its points by the states of the sagas; all other points are named where they are announced. */
const ENGINE = 'lib/saga/saga.ts';

const root = join(import.meta.dirname, '..', '..');

/** The lines of services and lib that match, but for those of the engine. */
function matches(pattern: RegExp): RegExpExecArray[] {
  const files = globSync('{lib,services}/**/*.ts', { cwd: root }).filter((file) => file !== ENGINE);
  return files.flatMap((file) => [...readFileSync(join(root, file), 'utf8').matchAll(pattern)]);
}

/** How many sagas services and lib create. */
export function countCreatedSagas(): number {
  return matches(/\bcreateSaga(<.*>)?\(/g).length;
}

/** The points that sources announce by their name. */
function announcedByName(): string[] {
  return matches(/\breached\((?:'([^']+)'\))?/g).map(([call, name]) => {
    if (name === undefined) throw new Error(`The point in ${call} has to be written as a text`);
    return name;
  });
}

/** Every point at which a service announces that it has come to it: the chaos tests kill a process at each. */
export function announcedSteps(): string[] {
  const bySagas = SAGAS.flatMap(({ service, name, moving, resting }) => {
    const states = [...moving, ...moving.map((state) => `${state}.acted`), ...resting];
    return states.map((state) => `${service}.${name}.${state}`);
  });
  return [...new Set([...bySagas, ...announcedByName()])].sort();
}

/** Points at which no process is killed, and why. */
export const NOT_PLAYED: Record<string, string> = {
  'contribution.cycle.completed': 'no step leads there: the last settlement completes the cycle in its own transaction',
  'governance.proposal_waits': 'nothing is stored since the key was claimed, and a death there is played',
};
