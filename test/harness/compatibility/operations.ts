/** Compares the operations of the OpenAPI documents of two releases. */
import type { JsonSchema } from '../../../lib/schema/json-schema.ts';
import type { Contracts, OperationFacts } from './contracts.ts';
import type { Break, Difference } from './rules.ts';
import { broken, defaultBreaks, placeAt, schemaBreaks, variantsOf, within, type Place } from './schemas.ts';

const PROBLEM = 'application/problem+json';

/** Returns the method and path of each operation of a document. */
export function operationsOf(document: JsonSchema): { name: string; path: string; method: string }[] {
  return Object.entries(document.paths as Record<string, JsonSchema>).flatMap(([path, item]) =>
    Object.keys(item).map((method) => ({ name: `${method.toUpperCase()} ${path}`, path, method })),
  );
}

/**
 * Returns what would break a client.
 * @param today an operation may end on the day that was announced
 */
export function operationDifferences(was: Contracts, now: Contracts, today: string): Difference[] {
  const bases = [was, now].map(({ openapi }) => JSON.stringify(openapi.servers));
  const root = { document: was.openapi, pointer: '/servers', value: {} };
  const moved = bases[0] === bases[1] ? [] : [broken('operation', root, 'the paths begin differently')];
  return [
    ...moved.map((each) => ({ ...each, of: 'all operations' })),
    ...operationsOf(was.openapi).flatMap(({ name, path, method }) => {
      const before = within(placeAt(was.openapi, '/paths'), path, method);
      const facts = was.internal.operations[name];
      const found = (now.openapi.paths as Record<string, JsonSchema | undefined>)[path]?.[method];
      const hasEnded = facts?.sunset !== undefined && facts.sunset <= today;
      if (found === undefined && hasEnded) return [];
      const breaks =
        found === undefined
          ? [broken('operation', before, 'is removed')]
          : [
              ...factBreaks(before, facts, now.internal.operations[name]),
              ...operationBreaks(before, within(placeAt(now.openapi, '/paths'), path, method)),
            ];
      return breaks.map((each) => ({ ...each, of: name }));
    }),
  ];
}

function factBreaks(place: Place, was?: OperationFacts, now?: OperationFacts): Break[] {
  const said = (value: unknown) => JSON.stringify(value);
  const changed = (['action', 'roles', 'scope'] as const)
    .filter((fact) => JSON.stringify(was?.[fact]) !== JSON.stringify(now?.[fact]))
    .map((fact) =>
      broken(
        fact === 'action' ? 'command' : 'operation',
        place,
        `${fact} ${said(was?.[fact])} became ${said(now?.[fact])}`,
      ),
    );
  const isEarlier = was?.sunset !== undefined && now?.sunset !== undefined && now.sunset < was.sunset;
  return isEarlier ? [...changed, broken('sunset', place, `ends on ${now.sunset!}`)] : changed;
}

function operationBreaks(was: Place, now: Place): Break[] {
  const security = ({ document, value }: Place) => JSON.stringify(value.security ?? document.security);
  return [
    ...(was.value.operationId === now.value.operationId
      ? []
      : [broken('operation', was, `operationId became ${String(now.value.operationId)}`)]),
    ...(security(was) === security(now) ? [] : [broken('operation', was, `security became ${security(now)}`)]),
    ...parameterBreaks(was, now),
    ...bodyBreaks(was, now),
    ...statusBreaks(was, now),
  ];
}

function parametersOf(operation: Place): Map<string, Place> {
  const parameters = (operation.value.parameters ?? []) as unknown[];
  const places = parameters.map((_parameter, index) => within(operation, 'parameters', String(index)));
  return new Map(places.map((place) => [`${place.value.in as string} ${place.value.name as string}`, place]));
}

function parameterBreaks(was: Place, now: Place): Break[] {
  const [before, after] = [parametersOf(was), parametersOf(now)];
  const added = [...after].filter(([name, { value }]) => !before.has(name) && value.required === true);
  return [
    ...added.map(([name]) => broken('request', was, `the parameter ${name} is new and required`)),
    ...[...before].flatMap(([name, parameter]) => {
      const later = after.get(name);
      if (later === undefined) return [broken('request', parameter, `the parameter ${name} is removed`)];
      const isOptional = parameter.value.required !== true;
      const schemas = [parameter, later].map(({ value }) => value.schema as JsonSchema);
      return [
        ...(isOptional && later.value.required === true ? [broken('request', parameter, 'becomes required')] : []),
        ...(isOptional ? defaultBreaks(parameter, schemas[0], schemas[1]) : []),
        ...schemaBreaks(within(parameter, 'schema'), within(later, 'schema'), 'request'),
      ];
    }),
  ];
}

function bodyBreaks(was: Place, now: Place): Break[] {
  const [before, after] = [within(was, 'requestBody'), within(now, 'requestBody')];
  const becomesRequired = before.value.required !== true && after.value.required === true;
  return [
    ...(becomesRequired ? [broken('request', before, 'becomes required')] : []),
    ...contentBreaks(before, after, 'request'),
  ];
}

/** Compares the media types of a body or answer, except problems. */
function contentBreaks(was: Place, now: Place, direction: 'request' | 'answer'): Break[] {
  const [before, after] = [was, now].map(({ value }) => (value.content ?? {}) as Record<string, JsonSchema>);
  return Object.keys(before!).flatMap((type) => {
    if (type === PROBLEM) return [];
    if (after![type] === undefined) return [broken(direction, was, `${type} is removed`)];
    const schemas = ['schema', 'x-line-schema'].filter((schema) => schema in before![type]!);
    return schemas.flatMap((schema) =>
      schemaBreaks(within(was, 'content', type, schema), within(now, 'content', type, schema), direction),
    );
  });
}

function statusBreaks(was: Place, now: Place): Break[] {
  const [before, after] = [was, now].map(({ value }) => Object.keys(value.responses as object));
  const added = after!.filter((status) => status.startsWith('2') && !before!.includes(status));
  return [
    ...added.map((status) => broken('operation', within(was, 'responses'), `may also succeed with ${status}`)),
    ...before!.flatMap((status) => {
      const response = within(was, 'responses', status);
      const later = within(now, 'responses', status);
      if (after!.includes(status)) return responseBreaks(response, later);
      const codes = [...codesOf(response).keys()];
      if (codes.length === 0) return [broken('operation', response, `the status ${status} is removed`)];
      return codes.map((code) => broken('code', response, `${code} is not answered with ${status}`));
    }),
  ];
}

function responseBreaks(was: Place, now: Place): Break[] {
  const headers = Object.keys(was.value.headers ?? {});
  const known = Object.keys(now.value.headers ?? {});
  const [before, after] = [codesOf(was), codesOf(now)];
  return [
    ...headers.flatMap((header) =>
      known.includes(header)
        ? schemaBreaks(within(was, 'headers', header, 'schema'), within(now, 'headers', header, 'schema'), 'answer')
        : [broken('answer', was, `the header ${header} is removed`)],
    ),
    ...contentBreaks(was, now, 'answer'),
    ...[...before].flatMap(([code, problem]) => {
      const later = after.get(code);
      if (later === undefined) return [broken('code', was, `${code} is removed`)];
      return schemaBreaks(problem, later, 'answer');
    }),
  ];
}

/** Returns the schemas of the problems of a response by code. */
function codesOf(response: Place): Map<string, Place> {
  if (!Object.keys(response.value.content ?? {}).includes(PROBLEM)) return new Map();
  const schema = within(response, 'content', PROBLEM, 'schema');
  const variants = variantsOf(schema);
  return variants.size > 0 ? variants : new Map([[String(within(schema, 'properties', 'code').value.const), schema]]);
}
