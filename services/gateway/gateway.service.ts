import type { ServiceSchema, ServiceSettingSchema } from 'moleculer';
import ApiGateway from 'moleculer-web';
import { API_BASE } from '../../lib/contracts/api.ts';
import { problem } from '../../lib/errors/problem.ts';
import type { Runtime } from '../../lib/node/runtime.ts';
import { readQuery } from './domain/query.ts';
import { accessLog } from './http/access-log.ts';
import { allowedMethods, apiAliases, pageAliases, resolveAlias, STRICT } from './http/aliases.ts';
import type { GatewayService } from './http/aliases.ts';
import { answerError } from './http/answers.ts';
import { arrivals } from './http/arrivals.ts';
import { cors } from './http/cors.ts';
import { pathOf } from './http/exchange.ts';
import type { Request, Response } from './http/exchange.ts';
import { readinessCheck } from './http/health.ts';
import { gatewayMetrics } from './http/metrics.ts';
import { callOptions, receive } from './http/receive.ts';
import { drain, REQUEST_MAX_MS, startServer } from './http/server.ts';
import { PAGES } from './pages/all-pages.ts';
import { ROUTES } from './routes.ts';
import { keySetOf } from './tokens/key-set.ts';
import { tokenVerifier } from './tokens/verifier.ts';

/**
 * The HTTP surface: routes.ts maps paths onto the actions of the other services, pages/ holds what is below the root.
 * @throws StartupError for a JWT key that cannot be used; on start, for a port that cannot be had
 */
export function gatewayService(runtime: Runtime): ServiceSchema {
  const { settings, resources, clock } = runtime;
  const tokenKeys = keySetOf(resources.secrets.jwt, clock);
  const arriving = arrivals(settings, runtime, tokenVerifier(resources.secrets.jwt, clock, tokenKeys));
  const crossing = cors(settings.corsOrigins);
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
      rootCallOptions: callOptions,
      routes: [
        { ...STRICT, path: API_BASE, aliases: apiAliases(ROUTES) },
        { ...STRICT, path: '/', aliases: pageAliases(PAGES) },
      ],
      $secureSettings: ['routes', 'rootCallOptions'],
    } as ServiceSettingSchema,
    methods: {
      resolveAlias,
      httpHandler(this: GatewayService, request: Request, response: Response) {
        return receive(this, { arriving, crossing }, request, response);
      },
      parseQueryString: (request: Request) => {
        const [url, search] = (request.url ?? '/').split(/\?(.*)/s, 2);
        return { url, query: readQuery(search ?? '') };
      },
      send404(this: GatewayService, request: Request, response: Response) {
        const allowed_methods = allowedMethods(this, pathOf(request));
        const error = problem(allowed_methods.length > 0 ? 'method_not_allowed' : 'not_found', { allowed_methods });
        this.errorHandler(request, response, error);
      },
      errorHandler(this: GatewayService, request: Request, response: Response, error: unknown) {
        answerError(request, response, error, this.logger, { method: request.method });
      },
      /** Has balancers turn away, then takes no more requests; resolves when those in flight are answered. */
      drain(this: GatewayService) {
        return drain(this, settings.drainDelayS);
      },
    },
    created() {
      const readiness = readinessCheck(this.broker, clock, tokenKeys);
      Object.assign(this, { readiness, metrics: gatewayMetrics(), accessLog: accessLog(settings, this.logger) });
    },
    started() {
      tokenKeys?.start((this as GatewayService).logger);
      return startServer(this as GatewayService, runtime, (address) => ({
        ...arriving.countUnreadable(address),
        ...crossing.unread,
      }));
    },
    async stopped() {
      tokenKeys?.stop();
      await drain(this as GatewayService, 0);
    },
  };
}
