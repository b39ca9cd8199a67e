/** The routes as moleculer-web keeps them: aliases, each with a handler of ours. */
import type { Server } from 'node:http';
import type { Service } from 'moleculer';
import Negotiator from 'negotiator';
import type { AccessLog } from './access-log.ts';
import { answerError, answerPage } from './answer.ts';
import { answerEndpoint } from './answer-endpoint.ts';
import { preferredLanguage } from './head.rules.ts';
import type { Readiness } from './health.ts';
import type { Metrics } from './metrics.ts';
import type { Page, PageRequest } from './page.ts';
import type { Request, Response } from './request.ts';
import type { Method, Route } from './route.rules.ts';

/** Turns moleculer-web's own parsing, logging and calling of actions by name off. */
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

/** The gateway's service with the members that moleculer-web and gateway.service.ts give it. */
export interface GatewayService extends Service {
  aliases: Alias[];
  /** Present once it is started. */
  server?: Server;
  /** From the beginning of its stop on: each answer is then the last one of its connection. */
  isStopping?: boolean;
  readiness: () => Promise<Readiness>;
  metrics: Metrics;
  accessLog: AccessLog;
  createServer(): void;
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
      aliasHandler(route.method, (_service, request, response) => answerEndpoint(route, request, response)),
    ]),
  );
}

/** The aliases of the pages below the server's root. */
export function pageAliases(pages: readonly Page[]): Record<string, AliasHandler> {
  return Object.fromEntries(
    pages.map(({ path, answer }) => [
      `GET ${path}`,
      aliasHandler('GET', async (service, request, response) => {
        answerPage(request, response, await answer(pageRequest(service, request)));
      }),
    ]),
  );
}

function aliasHandler(
  method: Method,
  answer: (service: GatewayService, request: Request, response: Response) => Promise<void>,
): AliasHandler {
  return function (request, response) {
    // moleculer-web routes a preflight to the request that it announces: it is refused as any other method is.
    if (request.method !== method && !(request.method === 'HEAD' && method === 'GET')) {
      this.send404(request, response);
      return;
    }
    answer(this, request, response).catch((error: unknown) => {
      answerError(request, response, error);
    });
  };
}

function pageRequest({ readiness, metrics }: GatewayService, request: Request): PageRequest {
  const { headers, $params } = request;
  const language = preferredLanguage(headers['accept-language']);
  const preferred = (types: readonly string[]) => new Negotiator(request).mediaType([...types]) ?? types[0] ?? '';
  return { parameters: $params?.params ?? {}, headers, language, preferred, readiness, metrics };
}

/** Finds the alias of a request, as moleculer-web does, but HEAD is answered like GET. */
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

/** The methods that a path takes; none for a path without a route. */
export function allowedMethods({ aliases }: GatewayService, path: string): string[] {
  const url = path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
  const methods = new Set(aliases.filter((alias) => matches(alias, url)).map((alias) => alias.method));
  if (methods.has('GET')) methods.add('HEAD');
  return [...methods];
}

function matches(alias: Alias, url: string): boolean {
  try {
    return alias.match(url) !== false;
  } catch {
    // Not well percent-encoded: it names nothing.
    return false;
  }
}
