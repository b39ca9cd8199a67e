/** Checks what a further service declares, before the gateway routes requests to it. Other processes are not trusted to be right. */
import { METHODS, type DeclaredRoute, type ServiceApi } from '../../../lib/contracts/service-api.ts';
import { TAGS, type Endpoint } from '../../../lib/contracts/action.ts';
import { PERMISSION_TABLE } from '../../../lib/contracts/permissions.ts';
import { ERRORS } from '../../../lib/errors/codes.ts';
import type { ErrorEntry } from '../../../lib/errors/table/entry.ts';
import { LANGUAGES } from '../../../lib/language/languages.ts';
import type { Field } from '../../../lib/schema/fields.ts';
import { ruleOf, rulesOf } from '../../../lib/schema/rules.ts';
import { operationIdOf } from '../openapi/operation.rules.ts';

/** More routes than any service needs: each request without a route of this project looks at all of them. */
const ROUTES_MAX = 200;

/** Four times what webhooks declares for 20 routes. */
const DECLARATION_MAX_CHARACTERS = 256 * 1024;

/** The deepest contract of this project has 29 levels. Each schema is compared with all that is within it. */
const DEPTH_MAX = 50;

/** Where the paths of this project's further services begin: other services must not get their requests while they are away. */
const RESERVED: Record<string, readonly string[]> = {
  webhooks: ['/webhooks', '/associations/:association_id/webhooks'],
  reminders: ['/me/notifications'],
};

/** As much as a meeting sheet may have: each body is kept in memory while it arrives. */
const BODY_MAX_KIB = 512;

const STATUSES: readonly number[] = [200, 201, 204];

/** `/` and then segments of the characters that need no escapes in a URL; those that begin with a colon are parameters. */
const PATH = /^(?:\/(?:[a-z0-9._-]+|:[a-z][a-z0-9_]*))+$/;

const CODE = /^[a-z][a-z0-9_]{0,99}$/;

/** Why a declaration cannot be used. */
export class DeclarationFault extends Error {}

/**
 * Returns the declaration that a service has sent.
 * @param taken the routes of this project and of the other services
 * @throws DeclarationFault if it cannot be used; then none of its routes is
 */
export function checkedApi(service: string, given: unknown, taken: readonly DeclaredRoute[]): ServiceApi {
  requireThat(
    JSON.stringify(given ?? null).length <= DECLARATION_MAX_CHARACTERS,
    `it has more than ${String(DECLARATION_MAX_CHARACTERS)} characters`,
  );
  requireThat(!isDeeperThan(DEPTH_MAX, given), `it is nested deeper than ${String(DEPTH_MAX)}`);
  const { tags = {}, errors = {}, routes } = (given ?? {}) as Partial<ServiceApi>;
  requireThat(isTextTable(tags), 'its tags are not texts');
  requireThat(
    isRouteList(routes) && routes.length <= ROUTES_MAX,
    `it has no list of at most ${String(ROUTES_MAX)} routes`,
  );
  const own = Object.keys(tags).find((tag) => (TAGS as readonly string[]).includes(tag));
  requireThat(own === undefined, `the tag ${own ?? ''} is one of this project`);
  requireThat(isErrorTable(errors), 'its errors are not well-formed');
  const known = [...taken];
  const schemas = new Map(taken.flatMap(({ endpoint }) => schemasOf(endpoint)));
  for (const route of routes) {
    requireRoute(route);
    requireFits(service, route, known);
    for (const [schema, field] of schemasOf(route.endpoint)) {
      const other = schemas.get(schema);
      requireThat(
        other === undefined || other === field,
        `${nameOf(route)} has another schema ${schema} than another route`,
      );
      requireThat(!schema.endsWith('Problem'), `${nameOf(route)} has a schema ${schema}, as those of errors are named`);
      schemas.set(schema, field);
    }
    requireThat(Object.hasOwn(tags, route.endpoint.tag), `${nameOf(route)} has a tag that is not declared`);
    const unknown = (route.endpoint.refuses ?? []).find(
      (code) => !Object.hasOwn(ERRORS, code) && !Object.hasOwn(errors, code),
    );
    requireThat(unknown === undefined, `${nameOf(route)} refuses with ${unknown ?? ''}, which is not declared`);
    known.push(route);
  }
  return { tags, errors, routes };
}

/** @throws DeclarationFault if a route takes what belongs to another one: its requests, or the name of its operation */
function requireFits(service: string, route: DeclaredRoute, known: readonly DeclaredRoute[]): void {
  const name = nameOf(route);
  const action = route.endpoint.name;
  requireThat(action.startsWith(`${service}.`), `${name} calls an action of another service`);
  const reserved = Object.entries(RESERVED).find(
    ([owner, paths]) => owner !== service && paths.some((path) => mayBeBelow(route.path, path)),
  );
  requireThat(reserved === undefined, `${name} is reserved for ${reserved?.[0] ?? ''}`);
  const overlapping = known.find((other) => mayMatchSame(route, other));
  requireThat(overlapping === undefined, `${name} can match what ${overlapping ? nameOf(overlapping) : ''} matches`);
  const same = known.find(({ endpoint }) => operationIdOf(endpoint.name) === operationIdOf(action));
  requireThat(same === undefined, `the action of ${name} has the name of that of ${same ? nameOf(same) : ''}`);
}

function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((member) => isDeeperThan(levels - 1, member));
}

function nameOf({ method, path }: DeclaredRoute): string {
  return `${method} ${path}`;
}

function requireThat(condition: boolean, otherwise: string): asserts condition {
  if (!condition) throw new DeclarationFault(otherwise);
}

/** Whether a value is a list. Its items are checked one by one. */
function isRouteList(value: unknown): value is readonly DeclaredRoute[] {
  return Array.isArray(value);
}

function isTextTable(value: unknown): value is Record<string, string> {
  return typeof value === 'object' && value !== null && Object.values(value).every((text) => typeof text === 'string');
}

/** Whether a value is a table of refusals with their texts. Faults have codes that all services share. */
function isErrorTable(value: unknown): value is NonNullable<ServiceApi['errors']> {
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value as Record<string, Partial<ErrorEntry> | null>).every(([code, entry]) => {
    const texts = LANGUAGES.flatMap((language) => [entry?.[language]?.title, entry?.[language]?.detail]);
    const { status = 0 } = entry ?? {};
    return CODE.test(code) && status >= 400 && status < 500 && texts.every((text) => typeof text === 'string');
  });
}

/** @throws DeclarationFault if a value lacks the members of a route with which the gateway decides and describes it */
function requireRoute(value: unknown): asserts value is DeclaredRoute {
  const { method, path, endpoint } = (value ?? {}) as Partial<DeclaredRoute>;
  const route = `${String(method)} ${String(path)}`;
  requireThat((METHODS as readonly unknown[]).includes(method), `${route} has no method of HTTP`);
  requireThat(typeof path === 'string' && PATH.test(path), `${route} has a path that is not well-formed`);
  requireThat(typeof endpoint === 'object' && endpoint !== null, `${route} has no contract`);
  const { kind, name, tag, summary, status, body_max_kib = 0 } = endpoint as Partial<typeof endpoint>;
  requireThat(kind === 'endpoint' && STATUSES.includes(status ?? 0), `${route} has no contract of an endpoint`);
  const texts = [name, tag, summary];
  requireThat(
    texts.every((text) => typeof text === 'string'),
    `${route} has no name, tag or summary`,
  );
  requireThat(body_max_kib <= BODY_MAX_KIB, `${route} has bodies of more than ${String(BODY_MAX_KIB)} KiB`);
  const parameters = path.split('/').filter((segment) => segment.startsWith(':'));
  const named = Object.keys(endpoint.path ?? {}).map((field) => `:${field}`);
  const areSame = parameters.length === named.length && parameters.every((each) => named.includes(each));
  requireThat(areSame, `${route} has other parameters than its contract: ${named.join(', ') || 'none'}`);
  const { refuses = [], permission = 'read' } = endpoint as Partial<typeof endpoint>;
  requireThat(Array.isArray(refuses), `${route} has codes that are no list`);
  requireThat(Object.hasOwn(PERMISSION_TABLE, permission), `${route} needs a permission that does not exist`);
  requireThat(hasFields(endpoint), `${route} has a field of a kind that this gateway does not know`);
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

/** Returns the named schemas of an endpoint, as JSON: the document has one schema for each name. */
function schemasOf({ path, query, body, answer }: Endpoint): [string, string][] {
  const found: [string, string][] = [];
  const visit = (field: Field): void => {
    if (field.component !== undefined) found.push([field.component, JSON.stringify({ ...field, ...AS_MEMBER })]);
    const { spec } = field;
    if (spec.kind === 'list') visit(spec.of);
    if (spec.kind === 'object') Object.values(spec.fields).forEach(visit);
    if (spec.kind === 'free' && spec.shape !== undefined) visit(spec.shape);
  };
  for (const fields of [path, query, body]) Object.values(fields).forEach(visit);
  visit(answer);
  return found;
}

/** What differs between the places where one schema is used. */
const AS_MEMBER = {
  optional: undefined,
  nullable: undefined,
  description: undefined,
  example: undefined,
  fallback: undefined,
};

/** Whether one request can match both routes: then their order would decide which service gets it. */
function mayMatchSame(one: DeclaredRoute, other: DeclaredRoute): boolean {
  const isAsLong = one.path.split('/').length === other.path.split('/').length;
  return one.method === other.method && isAsLong && mayBeBelow(one.path, other.path);
}

/** Whether a request that matches `path` can match `base` or what is below it. */
function mayBeBelow(path: string, base: string): boolean {
  const segments = path.split('/');
  const isParameter = (segment: string | undefined) => segment?.startsWith(':') === true;
  return base.split('/').every((segment, index) => {
    const own = segments[index];
    return segment === own || isParameter(own) || (own !== undefined && isParameter(segment));
  });
}
