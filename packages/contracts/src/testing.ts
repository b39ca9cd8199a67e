/** Real servers for tests of services, and events to publish to them. */
export { startTestServers, type TestServers } from '../../../lib/embedded/test-servers.ts';
