/** The services that own tables, each in its own database. */
export const TABLE_SERVICES = ['membership', 'contribution', 'treasury', 'governance'] as const;
export type TableService = (typeof TABLE_SERVICES)[number];

/** Every service, in the order in which one process starts them. */
export const SERVICES = [...TABLE_SERVICES, 'gateway'] as const;
export type ServiceName = (typeof SERVICES)[number];

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
export function loginOf(services: readonly ServiceName[]): string {
  const [only = SHARED_LOGIN, ...others] = services;
  return others.length === 0 ? only : SHARED_LOGIN;
}
