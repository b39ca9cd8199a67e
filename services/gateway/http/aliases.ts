import type { Server } from 'node:http';
import type { Service } from 'moleculer';
import Negotiator from 'negotiator';
import { preferredLanguage } from '../domain/languages.ts';
import type { Page, PageRequest } from '../pages/page.ts';
import type { Method, Route } from '../routes.ts';
import type { AccessLog } from './access-log.ts';
import { answerEndpoint } from './answer-endpoint.ts';
import type { EndpointCall } from './answer-endpoint.ts';
import { answerError, answerPage } from './answers.ts';
import type { Request, Response } from './exchange.ts';
import type { Readiness } from './health.ts';
import type { Metrics } from './metrics.ts';

/** What every route has: our own parsing, our own log, nothing but the aliases. */
export const STRICT = {
  mappingPolicy: 'restrict',
  mergeParams: false,
  bodyParsers: false,
  logging: false,
  pathToRegexpOptions: { sensitive: true },
} as const;

/** A path with a method, as moleculer-web keeps it. */
interface Alias {
  method: string;
  isMethod(method: string): boolean;
  /** The values of the path's parameters, or false. Throws for one that is not well percent-encoded. */
  match(url: string): Record<string, string> | false;
}

/** The gateway's service with what moleculer-web and gateway.service.ts give it. */
export interface GatewayService extends Service {
  aliases: Alias[];
  /** From its start on. */
  server?: Server;
  /** From the beginning of its stop on: each answer is then the last one of its connection. */
  isStopping?: boolean;
  readiness: () => Promise<Readiness>;
  metrics: Metrics;
  accessLog: AccessLog;
  createServer(): void;
  errorHandler(request: Request, response: Response, error: unknown): void;
  /** 404, or 405 with the methods that the path takes. */
  send404(request: Request, response: Response): void;
}

/** What moleculer-web calls for a request to an alias. */
type AliasHandler = (this: GatewayService, request: Request, response: Response) => void;

/** The aliases of the API: each calls its contract's action. */
export function apiAliases(routes: readonly Route[]): Record<string, AliasHandler> {
  return Object.fromEntries(
    routes.map((route) => [
      `${route.method} ${route.path}`,
      function (this: GatewayService, request: Request, response: Response) {
        let input: EndpointCall | undefined;
        answering(this, route.method, request, response, () =>
          answerEndpoint(route, request, response, (call) => (input = call)),
        ).catch((error: unknown) => {
          answerError(request, response, error, this.logger, { method: request.method, input });
        });
      },
    ]),
  );
}

/** The aliases of the pages below the server's root. */
export function pageAliases(pages: readonly Page[]): Record<string, AliasHandler> {
  return Object.fromEntries(
    pages.map(({ path, answer }) => [
      `GET ${path}`,
      function (this: GatewayService, request: Request, response: Response) {
        answering(this, 'GET', request, response, async () => {
          answerPage(request, response, await answer(pageRequest(this, request)));
        }).catch((error: unknown) => {
          answerError(request, response, error, this.logger, { method: request.method });
        });
      },
    ]),
  );
}

/** moleculer-web takes a preflight for the request that it announces: it is refused as any other method is. */
async function answering(
  service: GatewayService,
  method: Method,
  request: Request,
  response: Response,
  answer: () => Promise<void>,
): Promise<void> {
  if (request.method === method || (request.method === 'HEAD' && method === 'GET')) await answer();
  else service.send404(request, response);
}

function pageRequest({ readiness, metrics }: GatewayService, request: Request): PageRequest {
  const { headers, $params } = request;
  const language = preferredLanguage(headers['accept-language']);
  const preferred = (types: readonly string[]) => new Negotiator(request).mediaType([...types]) ?? types[0] ?? '';
  return { parameters: $params?.params ?? {}, headers, language, preferred, readiness, metrics };
}

/** Which alias a request is for: moleculer-web's own way, but HEAD is answered like GET. */
export function resolveAlias(
  this: GatewayService,
  url: string,
  method = 'GET',
): { alias: Alias; params: Record<string, string> } | false {
  const asked = method === 'HEAD' ? 'GET' : method;
  for (const alias of this.aliases) {
    const params = alias.isMethod(asked) && alias.match(url);
    if (params !== false) return { alias, params };
  }
  return false;
}

/** The methods that a path takes; none for a path that is not there. */
export function allowedMethods({ aliases }: GatewayService, path: string): string[] {
  const url = path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
  const methods = new Set(aliases.filter((alias) => takes(alias, url)).map((alias) => alias.method));
  if (methods.has('GET')) methods.add('HEAD');
  return [...methods];
}

function takes(alias: Alias, url: string): boolean {
  try {
    return alias.match(url) !== false;
  } catch {
    // Not well percent-encoded: it names nothing.
    return false;
  }
}
