import type { Service, ServiceBroker } from 'moleculer';

/** What a service is registered by; Moleculer's types do not tell of it. */
interface Registered {
  _serviceSpecification: Parameters<ServiceBroker['registerLocalService']>[0];
}

/**
 * Takes a service out of the registry of all nodes while its database cannot be used, and puts it back. Meanwhile no call is
 * sent to it, and one that is on its way finds it gone before anything is done; what has begun goes on, and so do the parts
 * that run by themselves.
 * @param fault why the database cannot be used; undefined once it can
 */
export function followAvailability(service: Service, fault: Error | undefined): void {
  const { broker, fullName, logger } = service;
  if (fault === undefined) {
    broker.registerLocalService((service as unknown as Registered)._serviceSpecification);
    logger.warn('the database can be used again: calls are taken');
  } else {
    broker.registry.unregisterService(fullName, broker.nodeID);
    broker.servicesChanged(true);
    logger.error('the database cannot be used: no calls are taken', { message: fault.message });
  }
}
