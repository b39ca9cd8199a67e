/** Routes as moleculer-web stores them: aliases, each with a handler of this gateway. */
import type { Server } from 'node:http';
import type { Service } from 'moleculer';
import { API_BASE } from '../../../lib/contracts/api.ts';
import type { Method } from '../../../lib/contracts/service-api.ts';
import { problem } from '../../../lib/errors/problem.ts';
import { answerError, answerPage, type PageAnswer } from './answer.ts';
import { answerEndpoint, type Limits } from './answer-endpoint.ts';
import type { FurtherApis } from '../further-apis/learn-apis.ts';
import type { ReadyAnswer } from './health.ts';
import { readQuery } from './head.rules.ts';
import { pathOf, type Request, type Response } from './request.ts';
import type { CallerStatements } from '../tokens/state-caller.ts';
import type { Route } from './route.rules.ts';

/** Disables moleculer-web's own parsing and logging, and its calls of actions by name. */
export const STRICT = {
  mappingPolicy: 'restrict',
  mergeParams: false,
  bodyParsers: false,
  logging: false,
  pathToRegexpOptions: { sensitive: true },
} as const;

/** The data of the pages. */
export interface Measurements {
  /**
   * Reads the state of everything that requests need, at most twice per second.
   * @throws service_unavailable
   */
  readiness: () => Promise<ReadyAnswer>;
  furtherApis: FurtherApis;
}

/** A public page below the root of the server. It needs no token and supports GET and HEAD. */
export interface Page {
  /** Segments that begin with a colon are parameters. */
  path: string;
  /** @throws problems */
  answer: (request: Request, measured: Measurements) => PageAnswer | Promise<PageAnswer>;
}

/** A path with a method, as moleculer-web stores it. */
interface Alias {
  method: string;
  isMethod(method: string): boolean;
  /**
   * Returns the parameters of the path, or false if the URL does not match. Throws if a parameter is not valid
   * percent-encoding.
   */
  match(url: string): Record<string, string> | false;
}

/** The service of the gateway, with the members that moleculer-web and gateway.service.ts add. */
export interface GatewayService extends Service, Measurements {
  stateCaller: CallerStatements;
  aliases: Alias[];
  /** Present once the service has started. */
  server?: Server;
  /** True once the service is stopping. Each answer then closes its connection. */
  isStopping?: boolean;
  /** Replaces the routes of the same name, by moleculer-web. */
  addRoute(route: ReturnType<typeof furtherRoutes>): unknown;
  /** Routes a request with moleculer-web. */
  httpHandler(request: Request, response: Response): Promise<void>;
  /** Answers 404, or 405 with the methods of the path. */
  send404(request: Request, response: Response): void;
}

/** The function that moleculer-web calls for a request to an alias. */
type AliasHandler = (this: GatewayService, request: Request, response: Response) => void;

/** Returns the aliases of the API. Each calls the action of its contract. */
export function apiAliases(routes: readonly Route[], limits: Limits): Record<string, AliasHandler> {
  return aliases(routes, (route, request, response, service) =>
    answerEndpoint(route, limits, request, response, service),
  );
}

/** Returns the routes of further services in the form of moleculer-web. They replace those with the same name. */
export function furtherRoutes(routes: readonly Route[], limits: Limits) {
  return { ...STRICT, name: 'further', path: API_BASE, aliases: apiAliases(routes, limits) };
}

/** Returns the aliases of the pages below the root of the server. */
export function pageAliases(pages: readonly Page[]): Record<string, AliasHandler> {
  const gets = pages.map((page) => ({ ...page, method: 'GET' as const }));
  return aliases(gets, async (page, request, response, gateway) => {
    answerPage(request, response, await page.answer(request, gateway));
  });
}

function aliases<R extends { method: Method; path: string }>(
  routes: readonly R[],
  answer: (route: R, request: Request, response: Response, gateway: GatewayService) => Promise<void>,
): Record<string, AliasHandler> {
  const handlerOf = (route: R): AliasHandler =>
    function (request, response) {
      // moleculer-web routes a preflight like the request that it announces. It is refused like any other method.
      if (request.method !== route.method && !(request.method === 'HEAD' && route.method === 'GET')) {
        this.send404(request, response);
        return;
      }
      answer(route, request, response, this).catch((error: unknown) => {
        answerError(request, response, error);
      });
    };
  return Object.fromEntries(routes.map((route) => [`${route.method} ${route.path}`, handlerOf(route)]));
}

/** The methods of moleculer-web that this gateway replaces to route requests. */
export const ROUTING = {
  resolveAlias,
  parseQueryString: (request: Request) => {
    const [url, search] = (request.url ?? '/').split(/\?(.*)/s, 2);
    return { url, query: readQuery(search ?? '') };
  },
  send404(this: GatewayService, request: Request, response: Response) {
    const allowed_methods = allowedMethods(this, pathOf(request));
    const code = allowed_methods.length > 0 ? 'method_not_allowed' : 'not_found';
    answerError(request, response, problem(code, { allowed_methods }));
  },
};

/** Finds the alias of a request as moleculer-web does, except that HEAD is answered like GET. */
function resolveAlias(
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

/** Returns the methods of a path; none for a path without a route. */
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
    // The path is not valid percent-encoding, so no route has it.
    return false;
  }
}
