import type { Server } from 'node:http';
import type { Service } from 'moleculer';
import type { Route } from '../routes.ts';
import type { TokenVerifier } from '../tokens/verifier.ts';
import { answerEndpoint } from './answer-endpoint.ts';
import type { EndpointCall } from './answer-endpoint.ts';
import { answerError, answerJson } from './answers.ts';
import type { Request, Response } from './exchange.ts';
import { readyAnswer } from './health.ts';
import type { Readiness } from './health.ts';

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
  readiness: () => Promise<Readiness>;
  createServer(): void;
  errorHandler(request: Request, response: Response, error: unknown): void;
}

/** What moleculer-web calls for a request to an alias. */
type AliasHandler = (this: GatewayService, request: Request, response: Response) => void;

/** The aliases of the API: each calls its contract's action. */
export function apiAliases(routes: readonly Route[], verify: TokenVerifier): Record<string, AliasHandler> {
  return Object.fromEntries(
    routes.map((route) => [
      `${route.method} ${route.path}`,
      function (this: GatewayService, request: Request, response: Response) {
        let input: EndpointCall | undefined;
        answerEndpoint(route, verify, request, response, (call) => (input = call)).catch((error: unknown) => {
          answerError(request, response, error, this.logger, { method: request.method, input });
        });
      },
    ]),
  );
}

/** The aliases of the health pages, for load balancers and orchestrators: open, and quick. */
export function healthAliases(
  readinessOf: (service: GatewayService) => () => Promise<Readiness>,
): Record<string, AliasHandler> {
  return {
    'GET /live'(request, response) {
      answerJson(request, response, 200, { status: 'live' });
    },
    'GET /ready'(request, response) {
      readyAnswer(readinessOf(this)).then(
        (answer) => {
          answerJson(request, response, 200, answer);
        },
        (error: unknown) => {
          answerError(request, response, error, this.logger, { method: request.method });
        },
      );
    },
  };
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

/** The methods that the request's path takes; none for a path that is not there. */
export function allowedMethods({ aliases }: GatewayService, request: Request): string[] {
  const url = request.parsedUrl ?? '';
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
