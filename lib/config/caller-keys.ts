/** The keys with which the gateway signs statements of callers for each service (ADR 29). */
import { createSecretKey, type KeyObject } from 'node:crypto';
import { LOGIN_NAME, TABLE_SERVICES } from './service-names.ts';
import { StartupError } from './startup-error.ts';

/** Returns the keys of a service's setting: the first one signs, all verify. */
export function keyObjectsOf(secrets: readonly string[]): KeyObject[] {
  return secrets.map((secret) => createSecretKey(Buffer.from(secret)));
}

/** The further services for which a gateway signs: those with a key in the settings or, in development, all. */
export type FurtherCallers = readonly string[] | 'all';

/**
 * Returns the function that finds the key with which a gateway signs for a service; undefined for a further service without one.
 * @throws StartupError if two services share a key: each could then make statements for the other
 */
export function signingKeys(
  keysOf: (service: string) => readonly KeyObject[],
  further: FurtherCallers = 'all',
): (service: string) => KeyObject | undefined {
  const known: readonly string[] = [...TABLE_SERVICES, ...(further === 'all' ? [] : further)];
  const owners = known.flatMap((service) => keysOf(service).map((key) => ({ service, key })));
  for (const [index, { service, key }] of owners.entries()) {
    const other = owners.slice(0, index).find((each) => each.service !== service && each.key.equals(key));
    if (other === undefined) continue;
    const [name, otherName] = [service, other.service].map(callerKeyVariable);
    throw new StartupError(`${name ?? ''} and ${otherName ?? ''} have the same key: each service needs its own.`);
  }
  const signing = new Map(owners.toReversed().map(({ service, key }) => [service, key]));
  return (service) => {
    if (further !== 'all' || signing.has(service)) return signing.get(service);
    const [key] = keysOf(service);
    if (key !== undefined) signing.set(service, key);
    return key;
  };
}

const CALLER_KEY = '_CALLER_KEY';

/** Returns the name of the variable with the keys of a service. */
export function callerKeyVariable(service: string): string {
  return service.toUpperCase() + CALLER_KEY;
}

/** Returns the services whose keys an environment has, as values or in files. */
export function servicesWithKeys(env: NodeJS.ProcessEnv): string[] {
  const names = Object.keys(env).map((name) => name.replace(/_FILE$/, ''));
  const services = names.filter((name) => name.endsWith(CALLER_KEY)).map((name) => name.slice(0, -CALLER_KEY.length));
  return [...new Set(services.map((name) => name.toLowerCase()))].filter((name) => LOGIN_NAME.test(name));
}
