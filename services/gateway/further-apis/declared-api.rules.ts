/** Checks what a further service declares, before the gateway routes requests to it. Other processes are not trusted to be right. */
import { METHODS, type DeclaredRoute, type ServiceApi } from '../../../lib/contracts/service-api.ts';
import { TAGS, type Endpoint } from '../../../lib/contracts/action.ts';
import { ruleOf, rulesOf } from '../../../lib/schema/rules.ts';

/** More routes than any service needs: each request without a route of this project looks at all of them. */
const ROUTES_MAX = 200;

/** As much as a meeting sheet may have: each body is kept in memory while it arrives. */
const BODY_MAX_KIB = 512;

const STATUSES: readonly number[] = [200, 201, 204];

/** `/` and then segments of the characters that need no escapes in a URL; those that begin with a colon are parameters. */
const PATH = /^(?:\/(?:[a-z0-9._-]+|:[a-z][a-z0-9_]*))+$/;

/** Why a declaration cannot be used. */
export class DeclarationFault extends Error {}

/**
 * Returns the declaration that a service has sent.
 * @param taken the routes of this project and of the other services
 * @throws DeclarationFault if it cannot be used; then none of its routes is
 */
export function checkedApi(service: string, given: unknown, taken: readonly DeclaredRoute[]): ServiceApi {
  const { tags = {}, errors = {}, routes = [] } = (given ?? {}) as Partial<ServiceApi>;
  requireThat(isTextTable(tags), 'its tags are not texts');
  requireThat(isList(routes) && routes.length <= ROUTES_MAX, `it has no list of at most ${String(ROUTES_MAX)} routes`);
  const own = Object.keys(tags).find((tag) => (TAGS as readonly string[]).includes(tag));
  requireThat(own === undefined, `the tag ${own ?? ''} is one of this project`);
  for (const [index, route] of routes.entries()) {
    requireThat(isRoute(route), 'a route is not well-formed');
    const name = `${route.method} ${route.path}`;
    requireThat(route.endpoint.name.startsWith(`${service}.`), `${name} calls an action of another service`);
    requireThat(Object.hasOwn(tags, route.endpoint.tag), `${name} has a tag that is not declared`);
    const overlapping = [...taken, ...routes.slice(0, index)].find((other) => mayMatchSame(route, other));
    requireThat(
      overlapping === undefined,
      `${name} can match what ${overlapping?.method ?? ''} ${overlapping?.path ?? ''} matches`,
    );
  }
  return { tags, errors, routes };
}

function requireThat(condition: boolean, otherwise: string): asserts condition {
  if (!condition) throw new DeclarationFault(otherwise);
}

function isList(value: unknown): boolean {
  return Array.isArray(value);
}

function isTextTable(value: unknown): value is Record<string, string> {
  return typeof value === 'object' && value !== null && Object.values(value).every((text) => typeof text === 'string');
}

/** Whether a value has the members of a route with which the gateway decides and describes it. */
function isRoute(value: unknown): value is DeclaredRoute {
  const { method, path, endpoint } = (value ?? {}) as Partial<DeclaredRoute>;
  if (!(METHODS as readonly unknown[]).includes(method) || typeof path !== 'string' || !PATH.test(path)) return false;
  if (typeof endpoint !== 'object' || endpoint === null) return false;
  const { kind, name, tag, summary, status, body_max_kib = 0 } = endpoint as Partial<typeof endpoint>;
  const parameters = path.split('/').filter((segment) => segment.startsWith(':'));
  const named = Object.keys(endpoint.path ?? {}).map((field) => `:${field}`);
  return (
    kind === 'endpoint' &&
    [name, tag, summary].every((text) => typeof text === 'string') &&
    STATUSES.includes(status ?? 0) &&
    body_max_kib <= BODY_MAX_KIB &&
    parameters.length === named.length &&
    new Set([...parameters, ...named]).size === named.length &&
    hasFields(endpoint)
  );
}

/** Whether the fields of an endpoint are of kinds that this gateway knows, so that it can describe them. */
function hasFields({ path, query, body, answer }: Endpoint): boolean {
  try {
    for (const fields of [path, query, body]) rulesOf(fields);
    ruleOf(answer);
    return true;
  } catch {
    // What is no field has no kind.
    return false;
  }
}

/** Whether one request can match both routes: then their order would decide which service gets it. */
function mayMatchSame(one: DeclaredRoute, other: DeclaredRoute): boolean {
  const [a, b] = [one.path.split('/'), other.path.split('/')];
  const isParameter = (segment: string | undefined) => segment?.startsWith(':') === true;
  const fits = (segment: string, index: number) =>
    segment === b[index] || isParameter(segment) || isParameter(b[index]);
  return one.method === other.method && a.length === b.length && a.every(fits);
}
