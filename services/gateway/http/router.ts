/** The routes as moleculer-web keeps them: aliases, each with a handler of ours. */
import type { Server } from 'node:http';
import type { Service } from 'moleculer';
import type { Registry } from 'prom-client';
import { answerError, answerPage, type PageAnswer } from './answer.ts';
import { answerEndpoint } from './answer-endpoint.ts';
import type { ReadyAnswer } from './health.ts';
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

/** What the health and metrics pages show. */
export interface Measurements {
  /** The state of what requests need; checked anew at most twice a second. @throws service_unavailable */
  readiness: () => Promise<ReadyAnswer>;
  metrics: Registry;
}

/** An open page below the server's root: no token, no body, GET and HEAD. */
export interface Page {
  /** Segments that begin with a colon are parameters. */
  path: string;
  /** @throws problems, which are answered as everywhere */
  answer: (request: Request, measured: Measurements) => PageAnswer | Promise<PageAnswer>;
}

/** A path with a method, as moleculer-web keeps it. */
interface Alias {
  method: string;
  isMethod(method: string): boolean;
  /** The values of the path's parameters, or false. Throws for one that is not well percent-encoded. */
  match(url: string): Record<string, string> | false;
}

/** The gateway's service with the members that moleculer-web and gateway.service.ts give it. */
export interface GatewayService extends Service, Measurements {
  aliases: Alias[];
  /** Present once it is started. */
  server?: Server;
  /** From the beginning of its stop on: each answer is then the last one of its connection. */
  isStopping?: boolean;
  /** moleculer-web's routing of a request. */
  httpHandler(request: Request, response: Response): Promise<void>;
  /** 404, or 405 with the methods that the path takes. */
  send404(request: Request, response: Response): void;
}

/** What moleculer-web calls for a request to an alias. */
type AliasHandler = (this: GatewayService, request: Request, response: Response) => void;

/** The aliases of the API: each calls its contract's action. */
export function apiAliases(routes: readonly Route[]): Record<string, AliasHandler> {
  return aliases(routes, (route, request, response) => answerEndpoint(route, request, response));
}

/** The aliases of the pages below the server's root. */
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
      // moleculer-web routes a preflight to the request that it announces: it is refused as any other method is.
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
