import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { API_BASE } from '../../lib/contracts/api.ts';

export interface Media {
  schema?: object;
  example?: unknown;
  /** Answers have references, requests have inline values. */
  examples?: Record<string, { $ref: string } | { value: unknown }>;
  'x-line-schema'?: object;
}

interface Response {
  headers?: Record<string, unknown>;
  content?: Record<string, Media>;
}

interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
  description?: string;
}

/** An operation of the document. */
export interface Operation {
  id: string;
  method: string;
  /** For example `/associations/{association_id}`. */
  path: string;
  summary: string;
  parameters: Parameter[];
  requestBody?: { content: Record<string, Media> };
  /** Status or `default` -> response, with references resolved. */
  responses: Record<string, Response>;
  /** JSON Pointers to the responses within the document. */
  places: Record<string, string>;
  /** Matches a path below the base. */
  pattern: RegExp;
}

/**
 * Returns the document with every object closed. Answers and events are open for clients, because later versions may
 * add members; but all members of this version must be documented.
 */
export function closed<T>(part: T): T {
  if (Array.isArray(part)) return part.map(closed) as T;
  if (typeof part !== 'object' || part === null) return part;
  const inner = Object.fromEntries(Object.entries(part).map(([name, value]) => [name, closed(value as unknown)]));
  return ('properties' in inner ? { additionalProperties: false, ...inner } : inner) as T;
}

/** Returns JSON Pointers to the objects and enumerations that are not components with their name as title. */
export function unnamedTypes(part: unknown, place = ''): string[] {
  if (typeof part !== 'object' || part === null) return [];
  const inner = Object.entries(part).flatMap(([name, value]) => unnamedTypes(value, `${place}/${name}`));
  const { type, title, properties, enum: values } = part as Record<string, unknown>;
  const isType = (type === 'object' && properties !== undefined) || (Array.isArray(values) && values.length > 1);
  const isNamed = place === `/components/schemas/${String(title)}`;
  return isType && !isNamed ? [place, ...inner] : inner;
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

/** Checks requests and answers against an OpenAPI document. It uses nothing of the project except the API's base. */
export class ApiDocument {
  readonly operations: Operation[];
  readonly #document: object;
  readonly #ajv: Ajv2020;
  readonly #validators = new Map<string, ValidateFunction>();

  constructor(document: object) {
    this.#document = document;
    // Most schemas check few values, so that optimizing the code of their checks takes more time than it saves.
    this.#ajv = new Ajv2020({ strict: false, allErrors: true, inlineRefs: false, code: { optimize: false } });
    addFormats.default(this.#ajv);
    this.#ajv.addSchema({ ...closed(document), $id: 'document' });
    const { paths } = document as { paths: Record<string, Record<string, object>> };
    this.operations = Object.entries(paths)
      .flatMap(([path, item]) =>
        METHODS.filter((method) => item[method] !== undefined).map((method) => this.#operation(path, method)),
      )
      // `/associations/my` comes before `/associations/{association_id}` (OpenAPI, "Path Templating Matching").
      .toSorted((a, b) => count(a.path) - count(b.path));
  }

  /** Returns the operation of a request, if any. @param path with the API's base, without the query */
  operationFor(method: string, path: string): Operation | undefined {
    const asked = method === 'HEAD' ? 'GET' : method;
    return this.#matching(path).find((operation) => operation.method === asked);
  }

  /** Whether any operation has this path. */
  hasPath(path: string): boolean {
    return this.#matching(path).length > 0;
  }

  /** Returns what is wrong with a request's body. */
  requestComplaints(operation: Operation, body: unknown): string[] {
    if (operation.requestBody === undefined) {
      return body === undefined || JSON.stringify(body) === '{}' ? [] : ['a body where none is documented'];
    }
    const place = `/paths/${escaped(operation.path)}/${operation.method.toLowerCase()}/requestBody/content/application~1json/schema`;
    return this.#complaints(place, body ?? {})
      .filter((error) => !isLetterCase(error, body))
      .map(said);
  }

  /** Returns what is wrong with an answer of this media type; JSON is already parsed. */
  answerComplaints(operation: Operation, status: number | string, type: string, body: unknown): string[] {
    const place = operation.places[String(status)];
    const media = operation.responses[String(status)]?.content?.[type];
    if (place === undefined) return [`status ${String(status)} is not documented`];
    if (media === undefined) return [`${type} is not documented for ${String(status)}`];
    const schema = media['x-line-schema'] === undefined ? 'schema' : 'x-line-schema';
    return this.#complaints(`${place}/content/${escaped(type)}/${schema}`, body).map(said);
  }

  /** Returns the codes that the operation documents, by status. */
  codesOf(operation: Operation): Map<string, string[]> {
    return new Map(
      Object.entries(operation.responses)
        .map(([status, { content }]): [string, string[]] => [
          status,
          Object.keys(content?.['application/problem+json']?.examples ?? {}),
        ])
        .filter(([, codes]) => codes.length > 0),
    );
  }

  readonly resolveExample = (example: { $ref: string } | { value: unknown }): unknown =>
    '$ref' in example ? (this.#at(example.$ref.slice(1)) as { value: unknown }).value : example.value;

  /** Returns the examples of a media type. */
  readonly examplesOf = ({ example, examples }: Media): unknown[] =>
    examples === undefined ? [example] : Object.values(examples).map(this.resolveExample);

  /** Returns properties and parameters without a description. */
  undescribed(): string[] {
    const { schemas } = (this.#document as { components: { schemas: Record<string, object> } }).components;
    const wanting = (name: string, schema: object): string[] => {
      const { properties = {} } = schema as { properties?: Record<string, { description?: string; $ref?: string }> };
      return Object.entries(properties)
        .filter(([, property]) => property.description === undefined && !isSelfExplaining(property))
        .map(([property]) => `${name}.${property}`);
    };
    return [
      ...Object.entries(schemas).flatMap(([name, schema]) => wanting(name, schema)),
      ...this.operations.flatMap(({ id, parameters }) =>
        parameters.filter(({ description }) => description === undefined).map(({ name }) => `${id} ${name}`),
      ),
    ];
  }

  #matching(path: string): Operation[] {
    if (!path.startsWith(API_BASE)) return [];
    const below = path.slice(API_BASE.length).replace(/\/$/, '');
    const [best] = this.operations.filter(({ pattern }) => pattern.test(below));
    return this.operations.filter((operation) => operation.path === best?.path);
  }

  #operation(path: string, method: string): Operation {
    const place = `/paths/${escaped(path)}/${method}`;
    const stored = this.#at(place) as Pick<Operation, 'summary' | 'requestBody'> & {
      operationId: string;
      parameters: (Parameter | { $ref: string })[];
      responses: Record<string, Response | { $ref: string }>;
    };
    const places = Object.fromEntries(
      Object.entries(stored.responses).map(([status, response]) => [
        status,
        '$ref' in response ? response.$ref.slice(1) : `${place}/responses/${status}`,
      ]),
    );
    return {
      id: stored.operationId,
      method: method.toUpperCase(),
      path,
      summary: stored.summary,
      parameters: stored.parameters.map((each) =>
        '$ref' in each ? (this.#at(each.$ref.slice(1)) as Parameter) : each,
      ),
      ...(stored.requestBody === undefined ? {} : { requestBody: stored.requestBody }),
      responses: Object.fromEntries(
        Object.entries(places).map(([status, response]) => [status, this.#at(response) as Response]),
      ),
      places,
      pattern: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`),
    };
  }

  #at(pointer: string): unknown {
    return pointer
      .split('/')
      .slice(1)
      .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'))
      .reduce<unknown>((inside, token) => (inside as Record<string, unknown>)[token], this.#document);
  }

  #complaints(place: string, value: unknown): ErrorObject[] {
    let validate = this.#validators.get(place);
    if (validate === undefined) {
      // A pointer in a `$ref` is part of a URI, so its braces are percent-encoded.
      validate = this.#ajv.compile({ $ref: `document#${encodeURI(place)}` });
      this.#validators.set(place, validate);
    }
    return validate(value) ? [] : [...(validate.errors ?? [])];
  }
}

/** Whether a value is wrong only in its letter case, which the document describes in words as accepted. */
function isLetterCase({ keyword, instancePath, params }: ErrorObject, body: unknown): boolean {
  const value = instancePath
    .split('/')
    .slice(1)
    .reduce<unknown>((inside, token) => (inside as Record<string, unknown> | undefined)?.[token], body);
  if (typeof value !== 'string') return false;
  if (keyword === 'enum') return (params.allowedValues as unknown[]).includes(value.trim().toLowerCase());
  return keyword === 'pattern' && /^[A-Z]{3}$/.test(value.trim().toUpperCase());
}

function isSelfExplaining(property: object): boolean {
  return '$ref' in property || 'const' in property || ('enum' in property && (property.enum as unknown[]).length === 1);
}

function said({ instancePath, message, params }: ErrorObject): string {
  return `${instancePath === '' ? '(all)' : instancePath} ${message ?? ''} ${JSON.stringify(params)}`;
}

function escaped(token: string): string {
  return token.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** Returns a number that increases with the parameters of a path. */
function count(path: string): number {
  return path.split('{').length;
}
