import type { Field, Fields } from '../../../lib/schema/fields.ts';
import { operationIdOf } from '../../../services/gateway/openapi/operation.rules.ts';
import { ALL_ROUTES } from '../../harness/own-document.ts';

/** Values of a parameter; those of a query may be absent. */
export type Values = Record<string, readonly (string | undefined)[]>;

/** A request to read something. */
export interface ReadCase {
  operation: string;
  /** Whether it is answered with a page. */
  isList: boolean;
  path: string;
  /** Without `limit` and `cursor`. */
  query: Record<string, string>;
}

/** All operations that read. */
export const READS = ALL_ROUTES.filter(({ method }) => method === 'GET');

/**
 * Returns all combinations of the values of the parameters of each GET route. Enumerations have all their values, unless some
 * are given.
 * @param values the values of all other parameters
 * @throws Error for a parameter without values, so that a new filter gets some
 */
export function readCases(values: Values): ReadCase[] {
  return READS.flatMap(({ path, endpoint }) => {
    const filters = Object.fromEntries(Object.entries(endpoint.query).filter(([name]) => !PAGING.has(name)));
    const required = Object.entries(values).map(([name, given]) => [
      name,
      given.filter((value) => value !== undefined),
    ]);
    return combinations(endpoint.path, Object.fromEntries(required) as Values).flatMap((ids) =>
      combinations(filters, values).map((query) => ({
        operation: operationIdOf(endpoint.name),
        isList: 'cursor' in endpoint.query,
        path: path.replace(/:(\w+)/g, (_all, id: string) => ids[id] ?? ''),
        query,
      })),
    );
  });
}

const PAGING = new Set(['limit', 'cursor']);

function combinations(fields: Fields, values: Values): Record<string, string>[] {
  return Object.entries(fields).reduce<Record<string, string>[]>(
    (found, [name, field]) =>
      found.flatMap((others) =>
        valuesOf(name, field, values).map((value) => (value === undefined ? others : { ...others, [name]: value })),
      ),
    [{}],
  );
}

function valuesOf(name: string, { spec }: Field, values: Values): readonly (string | undefined)[] {
  const given = values[name];
  if (given === undefined && spec.kind === 'enumeration') return [undefined, ...spec.values];
  if (given === undefined) throw new Error(`The parameter ${name} has no values: add some that match little`);
  return given;
}

/** Returns the path of the request with its query. */
export function targetOf({ path, query }: ReadCase, page: Record<string, string>): string {
  const search = new URLSearchParams({ ...query, ...page }).toString();
  return search === '' ? path : `${path}?${search}`;
}

/** Returns the text that names the case in a complaint. */
export function nameOf({ operation, query }: ReadCase): string {
  return [operation, ...Object.entries(query).map(([name, value]) => `${name}=${value}`)].join(' ');
}
