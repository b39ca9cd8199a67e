/** Real servers for tests of services, and events to publish to them. */
export { readEndpoints, type Endpoints } from '../../../lib/embedded/data-dir.ts';
export { startTestServers, untilHandled, type TestServers } from '../../../lib/embedded/test-servers.ts';
