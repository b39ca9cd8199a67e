import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FURTHER_SERVICES } from '../../lib/config/service-names.ts';
import { SAGAS } from './sagas.ts';

/** The engine derives its fault points from the states of the sagas; all other points have names in the source. */
const ENGINE = 'lib/saga/saga.ts';

const root = join(import.meta.dirname, '..', '..');

/** Further services, whose own tests kill them at each of their fault points. */
const FURTHER = FURTHER_SERVICES.map((service) => join('services', service));

/** Returns the matches in services and lib, except in the engine and in further services. */
function matches(pattern: RegExp): RegExpExecArray[] {
  const files = globSync('{lib,services}/**/*.ts', { cwd: root, exclude: FURTHER }).filter((file) => file !== ENGINE);
  return matchesIn(files, pattern);
}

function matchesIn(files: readonly string[], pattern: RegExp): RegExpExecArray[] {
  return files.flatMap((file) => [...readFileSync(join(root, file), 'utf8').matchAll(pattern)]);
}

/** Returns the number of sagas that services and lib create. */
export function countCreatedSagas(): number {
  return matches(/\bcreateSaga(<.*>)?\(/g).length;
}

/** Returns the fault points that sources announce by name. */
function announcedByName(): string[] {
  return namesIn(matches(ANNOUNCED));
}

const ANNOUNCED = /\breached\((?:'([^']+)'\))?/g;

/** Returns the fault points of further services. */
export function furtherSteps(): string[] {
  const files = FURTHER.flatMap((folder) => globSync(`${folder}/src/**/*.ts`, { cwd: root }));
  return [...new Set(namesIn(matchesIn(files, ANNOUNCED)))].sort();
}

function namesIn(calls: readonly RegExpExecArray[]): string[] {
  return calls.map(([call, name]) => {
    if (name === undefined) throw new Error(`The fault point in ${call} must be a string literal`);
    return name;
  });
}

/** Returns every fault point that a service announces. The chaos tests kill a process at each of them. */
export function announcedSteps(): string[] {
  const bySagas = SAGAS.flatMap(({ service, name, moving, resting }) => {
    const states = [...moving, ...moving.map((state) => `${state}.acted`), ...resting];
    return states.map((state) => `${service}.${name}.${state}`);
  });
  return [...new Set([...bySagas, ...announcedByName()])].sort();
}

const BY_CORRECTION = 'no step reaches it: a correction moves it in its own transaction';

/** Fault points at which no process is killed, with the reason. */
export const NOT_PLAYED: Record<string, string> = {
  'contribution.contribution.reversing': BY_CORRECTION,
  'contribution.contribution.reversed': BY_CORRECTION,
  'contribution.fine_payment.reversing': BY_CORRECTION,
  'contribution.fine_payment.reversed': BY_CORRECTION,
  'contribution.sheet.reversing': BY_CORRECTION,
  'contribution.sheet.reversed': BY_CORRECTION,
  'treasury.cash_deposit.reversed': BY_CORRECTION,
  'treasury.distribution.reversed': BY_CORRECTION,
  'contribution.cycle.completed': 'no step reaches it: the last settlement completes the cycle in its own transaction',
  'governance.proposal_waits': 'nothing is stored after the key was claimed, and a process is killed at that point',
};
