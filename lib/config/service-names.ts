/** The services that own tables, each in its own database. */
export const TABLE_SERVICES = ['membership', 'contribution', 'treasury', 'governance'] as const;
export type TableService = (typeof TABLE_SERVICES)[number];

/** Every service, in the order in which one process starts them. */
export const SERVICES = [...TABLE_SERVICES, 'gateway'] as const;
export type ServiceName = (typeof SERVICES)[number];

/** The form of a login at NATS, and so of a service's name. */
export const LOGIN_NAME = /^[a-z][a-z0-9_]*$/;

/**
 * Services that are built as other teams build theirs, on packages/contracts: the others do not depend on them, and each migrates a
 * database of its own.
 */
export const FURTHER_SERVICES = ['webhooks', 'reminders'] as const;
export type FurtherService = (typeof FURTHER_SERVICES)[number];

/** The services that have a database. */
export const DATABASE_SERVICES = [...TABLE_SERVICES, ...FURTHER_SERVICES] as const;
export type DatabaseService = (typeof DATABASE_SERVICES)[number];

export const ALL_SERVICES = [...SERVICES, ...FURTHER_SERVICES] as const;
export type AnyService = (typeof ALL_SERVICES)[number];

export function isFurtherService(name: string): name is FurtherService {
  return (FURTHER_SERVICES as readonly string[]).includes(name);
}

export function hasDatabase(name: AnyService): name is DatabaseService {
  return (DATABASE_SERVICES as readonly string[]).includes(name);
}

export function isTableService(name: string): name is TableService {
  return (TABLE_SERVICES as readonly string[]).includes(name);
}

/** Returns a record with a value for each service that owns tables. */
export function forTableServices<T>(make: (service: TableService) => T): Record<TableService, T> {
  return Object.fromEntries(TABLE_SERVICES.map((service) => [service, make(service)])) as Record<TableService, T>;
}

/** The login at NATS of a process that runs several services; in development the only one. */
export const SHARED_LOGIN = 'association';

/** The login at NATS of commands such as `npm run republish`. */
export const OPERATOR = 'operator';

/** Returns the login at NATS of a process that runs these services. The ids of its nodes begin with it too. */
export function loginOf(services: readonly AnyService[]): string {
  const [only = SHARED_LOGIN, ...others] = services;
  return others.length === 0 ? only : SHARED_LOGIN;
}
