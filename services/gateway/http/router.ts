/** The routes as moleculer-web keeps them: aliases, each with a handler of ours. */
import type { Server } from 'node:http';
import type { Service } from 'moleculer';
import type { AccessLog } from './access-log.ts';
import { answerError, answerPage } from './answer.ts';
import { answerEndpoint } from './answer-endpoint.ts';
import type { Measurements, Page } from './page.ts';
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
export interface GatewayService extends Service, Measurements {
  aliases: Alias[];
  /** Present once it is started. */
  server?: Server;
  /** From the beginning of its stop on: each answer is then the last one of its connection. */
  isStopping?: boolean;
  accessLog: AccessLog;
  /** moleculer-web's routing of a request. */
  httpHandler(request: Request, response: Response): Promise<void>;
  /** 404, or 405 with the methods that the path takes. */
  send404(request: Request, response: Response): void;
}

/** What moleculer-web calls for a request to an alias. */
type AliasHandler = (this: GatewayService, request: Request, response: Response) => void;

/** The aliases of the API: each calls its contract's action. */
export function apiAliases(routes: readonly Route[]): Record<string, AliasHandler> {
  const aliases = routes.map((route) =>
    alias(route.method, route.path, (request, response) => answerEndpoint(route, request, response)),
  );
  return Object.fromEntries(aliases);
}

/** The aliases of the pages below the server's root. */
export function pageAliases(pages: readonly Page[]): Record<string, AliasHandler> {
  const aliases = pages.map(({ path, answer }) =>
    alias('GET', path, async (request, response, gateway) => {
      answerPage(request, response, await answer(request, gateway));
    }),
  );
  return Object.fromEntries(aliases);
}

function alias(
  method: Method,
  path: string,
  answer: (request: Request, response: Response, gateway: GatewayService) => Promise<void>,
): [string, AliasHandler] {
  const handler: AliasHandler = function (request, response) {
    // moleculer-web routes a preflight to the request that it announces: it is refused as any other method is.
    if (request.method !== method && !(request.method === 'HEAD' && method === 'GET')) {
      this.send404(request, response);
      return;
    }
    answer(request, response, this).catch((error: unknown) => {
      answerError(request, response, error);
    });
  };
  return [`${method} ${path}`, handler];
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
