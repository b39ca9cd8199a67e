import type { ServiceSchema, ServiceSettingSchema } from 'moleculer';
import ApiGateway from 'moleculer-web';
import type { Settings } from '../../lib/config/settings.ts';
import { API_BASE } from '../../lib/contracts/api.ts';
import { problem } from '../../lib/errors/problem.ts';
import type { Runtime } from '../../lib/runtime/runtime.ts';
import { allowedMethods, apiAliases, healthAliases, resolveAlias } from './http/aliases.ts';
import type { GatewayService } from './http/aliases.ts';
import { answerError } from './http/answers.ts';
import type { Request, Response } from './http/exchange.ts';
import { readinessCheck } from './http/health.ts';
import { drain, listen, REQUEST_MAX_MS } from './http/server.ts';
import { readQuery } from './domain/query.ts';
import { saneRequestId, saneTraceparent } from './domain/request-id.ts';
import { ROUTES } from './routes.ts';
import { tokenVerifier } from './tokens/verifier.ts';

/** What every route has: our own parsing, our own log, nothing but the aliases. */
const STRICT = {
  mappingPolicy: 'restrict',
  mergeParams: false,
  bodyParsers: false,
  logging: false,
  pathToRegexpOptions: { sensitive: true },
} as const;

/**
 * The HTTP surface: routes.ts maps paths onto the actions of the other services.
 * @throws StartupError for a JWT key that cannot be used; on start, for a port that cannot be had
 */
export function gatewayService(runtime: Runtime): ServiceSchema {
  const { settings, resources, clock, newId } = runtime;
  const verify = tokenVerifier(resources.secrets.jwt, clock);
  return {
    name: 'gateway',
    mixins: [ApiGateway],
    // moleculer-web's own actions, for changing routes from afar.
    actions: { listAliases: false, addRoute: false, removeRoute: false },
    settings: {
      server: false,
      requestTimeout: REQUEST_MAX_MS,
      logRequest: null,
      logRequestParams: null,
      logResponse: null,
      logRouteRegistration: null,
      rootCallOptions: (options: { requestID?: string; meta?: object }, request: Request) => {
        options.requestID = saneRequestId(request.headers['x-request-id']) ?? newId();
        const traceparent = saneTraceparent(request.headers.traceparent);
        if (traceparent !== undefined) options.meta = { traceparent };
      },
      routes: [
        { ...STRICT, path: API_BASE, aliases: apiAliases(ROUTES, verify) },
        { ...STRICT, path: '/health', aliases: healthAliases((service) => service.readiness) },
      ],
      $secureSettings: ['routes', 'rootCallOptions'],
    } as ServiceSettingSchema,
    methods: {
      resolveAlias,
      parseQueryString: (request: Request) => {
        const [url, search] = (request.url ?? '/').split(/\?(.*)/s, 2);
        return { url, query: readQuery(search ?? '') };
      },
      send404(this: GatewayService, request: Request, response: Response) {
        const allowed_methods = allowedMethods(this, request);
        const error = problem(allowed_methods.length > 0 ? 'method_not_allowed' : 'not_found', { allowed_methods });
        this.errorHandler(request, response, error);
      },
      errorHandler(this: GatewayService, request: Request, response: Response, error: unknown) {
        answerError(request, response, error, this.logger, { method: request.method });
      },
      /** Takes no more requests; resolves when those in flight are answered. */
      drain(this: GatewayService) {
        return drain(this.server);
      },
    },
    created() {
      (this as GatewayService).readiness = readinessCheck(this.broker, clock);
    },
    started() {
      return start(this as GatewayService, settings);
    },
    async stopped() {
      const { server } = this as GatewayService;
      await drain(server);
      server?.closeAllConnections();
    },
  };
}

/** The server is made and started here, not by moleculer-web: a start that fails has to say so in one line. */
async function start(service: GatewayService, { port, host }: Settings): Promise<void> {
  service.createServer();
  if (service.server !== undefined) await listen(service.server, port, host);
}
