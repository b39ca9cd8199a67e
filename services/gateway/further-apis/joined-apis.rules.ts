import type { ServiceApi } from '../../../lib/contracts/service-api.ts';
import type { Route } from '../http/route.rules.ts';

/** What further services have declared together. */
export interface KnownApis {
  readonly routes: readonly Route[];
  /** The descriptions of their tags. */
  readonly tags: Readonly<Record<string, string>>;
}

/** Joins declarations. A method and path that several releases of a service declare is as the latest declares it. */
export function joinedApis(apis: readonly ServiceApi[]): KnownApis {
  const all = apis.flatMap(({ routes }) => routes.map((route) => ({ ...route, answer: 'json' as const })));
  const routes = [...new Map(all.map((route) => [`${route.method} ${route.path}`, route])).values()];
  return { routes, tags: Object.assign({}, ...apis.map(({ tags }) => tags)) as Record<string, string> };
}
