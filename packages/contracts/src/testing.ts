/** Real servers for tests of services, and events to publish to them. */
export { startTestServers, untilHandled, type TestServers } from '../../../lib/embedded/test-servers.ts';
