import type { ServiceSchema, ServiceSettingSchema } from 'moleculer';
import ApiGateway from 'moleculer-web';
import { signingKeys } from '../../lib/config/caller-keys.ts';
import { API_BASE } from '../../lib/contracts/api.ts';
import type { Runtime } from '../../lib/node/runtime.ts';
import { furtherApis } from './further-apis/learn-apis.ts';
import { answerError } from './http/answer.ts';
import { limitCalls } from './http/calls-in-flight.ts';
import { readinessCheck } from './http/health.ts';
import { limitLongAnswers } from './http/long-answers.ts';
import { requestObserver } from './http/observe.ts';
import { callOptions, requestReceiver } from './http/receive.ts';
import { apiAliases, furtherRoutes, pageAliases, ROUTING, STRICT } from './http/router.ts';
import type { GatewayService } from './http/router.ts';
import { drain, startServer } from './http/server.ts';
import { clockRoutes, PAGES, ROUTES } from './routes.ts';
import { keySet } from './tokens/key-set.ts';
import { stateCallerAction } from './tokens/answer-state-caller.ts';
import { callerStatements } from './tokens/state-caller.ts';
import { tokenVerifier } from './tokens/verifier.ts';

/**
 * Returns the schema of the gateway, the HTTP surface: routes.ts maps paths to the actions of the other services. A
 * request passes through http/receive.ts, moleculer-web's routing (http/router.ts) and http/answer-endpoint.ts;
 * http/answer.ts writes the answer.
 * @throws StartupError for a JWT key that cannot be used; on start, for a port that is in use
 */
export function gatewayService(runtime: Runtime): ServiceSchema {
  const { settings, resources, systemClock: clock } = runtime;
  const { jwt } = resources.secrets;
  const tokenKeys = jwt.provider === undefined ? undefined : keySet(jwt.provider, clock);
  const observer = requestObserver(settings);
  const verify = tokenVerifier(jwt, clock, tokenKeys);
  const calls = limitCalls(settings.callsMax);
  const receiver = requestReceiver({ ...runtime, clock }, verify, observer, calls);
  const keyOf = signingKeys(resources.secrets.callerKeys, resources.secrets.furtherCallers);
  const stateCaller = callerStatements(keyOf, { ...runtime, clock });
  const further = furtherApis(
    ROUTES,
    (service) => keyOf(service) !== undefined,
    async (apis) => (await import('./openapi/document.ts')).openApiDocument([], apis),
  );
  const limits = { calls, longAnswers: limitLongAnswers() };
  return {
    name: 'gateway',
    mixins: [ApiGateway],
    // moleculer-web has actions that change routes remotely. They stay off.
    actions: {
      listAliases: false,
      addRoute: false,
      removeRoute: false,
      state_caller: stateCallerAction(() => [...ROUTES, ...further.current().routes], verify, stateCaller),
    },
    settings: {
      server: false,
      logRequest: null,
      logRequestParams: null,
      logResponse: null,
      logRouteRegistration: null,
      rootCallOptions: callOptions,
      routes: [
        { ...STRICT, name: 'own', path: API_BASE, aliases: apiAliases(ROUTES, limits) },
        furtherRoutes([], limits),
        { ...STRICT, path: '/', aliases: { ...pageAliases(PAGES), ...apiAliases(clockRoutes(settings), limits) } },
      ],
      $secureSettings: ['routes', 'rootCallOptions'],
    } as ServiceSettingSchema,
    methods: {
      ...ROUTING,
      errorHandler: answerError,
      /**
       * Makes load balancers remove the gateway, then stops accepting requests. Resolves when all requests are
       * answered.
       */
      drain(this: GatewayService) {
        return drain(this, settings.drainDelayS);
      },
    },
    events: {
      '$services.changed': () => further.learnSoon(),
    },
    created() {
      const readiness = readinessCheck(this.broker, clock, tokenKeys);
      Object.assign(this, { readiness, stateCaller, furtherApis: further });
    },
    async started() {
      const gateway = this as GatewayService;
      tokenKeys?.start(gateway.logger);
      await startServer(gateway, runtime, receiver);
      further.start(gateway, (routes) => void gateway.addRoute(furtherRoutes(routes, limits)));
    },
    async stopped() {
      tokenKeys?.stop();
      await further.stop();
      await drain(this as GatewayService, 0);
    },
  };
}
