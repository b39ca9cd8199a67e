import type { FurtherService } from '../lib/config/service-names.ts';
import type { ServiceFactory } from '../lib/node/node.ts';
import { databaseOf } from '../lib/node/resources.ts';
import type { Runtime } from '../lib/node/runtime.ts';
import type { ServiceDefinition } from '../lib/service/define-service.ts';
import { openDefinedService } from '../lib/service/open-service.ts';

/** Runs a service that is built on packages/contracts in one process with those of this project. */
export function hosted<S>(name: FurtherService, definition: ServiceDefinition<S>): ServiceFactory<Runtime> {
  return async ({ broker, settings, resources, testClock, ...runtime }) => {
    const { natsUrl, secrets } = resources;
    const { schema } = await openDefinedService(definition, {
      ...runtime,
      natsUrl,
      databaseUrl: databaseOf(resources, name).url,
      production: settings.production,
      callerKeys: secrets.callerKeys(name),
      testClock,
      env: process.env,
      makeSecret: secrets.makeSecret,
      broker,
    });
    return schema;
  };
}
