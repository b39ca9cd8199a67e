import type { Service, ServiceBroker } from 'moleculer';

/** A service's entry in the registry, which Moleculer's types do not show. */
interface Registered {
  _serviceSpecification: Parameters<ServiceBroker['registerLocalService']>[0];
}

/**
 * Removes a service from the registry of all nodes while its database cannot be used, and adds it again afterwards. In the
 * meantime, no call is sent to it, and calls that arrive are refused before they begin. Running calls and background jobs
 * continue.
 * @param fault why the database cannot be used; undefined once it can
 */
export function followAvailability(service: Service, fault: Error | undefined): void {
  const { broker, fullName, logger } = service;
  if (fault === undefined) {
    broker.registerLocalService((service as unknown as Registered)._serviceSpecification);
    logger.warn('the database can be used again: calls are accepted');
  } else {
    broker.registry.unregisterService(fullName, broker.nodeID);
    broker.servicesChanged(true);
    logger.error('the database cannot be used: no calls are accepted', { message: fault.message });
  }
}
