/** The keys with which the gateway signs statements of callers for each service (ADR 29). */
import { createSecretKey, type KeyObject } from 'node:crypto';
import { TABLE_SERVICES, type TableService } from './service-names.ts';
import { StartupError } from './startup-error.ts';

/** Returns the keys of a service's setting: the first one signs, all verify. */
export function keyObjectsOf(secrets: readonly string[]): KeyObject[] {
  return secrets.map((secret) => createSecretKey(Buffer.from(secret)));
}

/**
 * Returns the key that signs for each service.
 * @throws StartupError if two services share a key: each could then make statements for the other
 */
export function signingKeys(keysOf: (service: TableService) => readonly KeyObject[]): Record<TableService, KeyObject> {
  const keys = {} as Record<TableService, KeyObject>;
  const owners: [TableService, KeyObject][] = TABLE_SERVICES.flatMap((service) =>
    keysOf(service).map((key): [TableService, KeyObject] => [service, key]),
  );
  for (const [index, [service, key]] of owners.entries()) {
    const other = owners.slice(0, index).find(([owner, known]) => owner !== service && known.equals(key))?.[0];
    if (other === undefined) keys[service] ??= key;
    else {
      const [name, otherName] = [service, other].map((each) => `${each.toUpperCase()}_CALLER_KEY`);
      throw new StartupError(`${name ?? ''} and ${otherName ?? ''} have the same key: each service needs its own.`);
    }
  }
  return keys;
}
