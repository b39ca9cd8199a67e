/** Real servers for tests of services, and events to publish to them. */
export { readEndpoints, type Endpoints } from '../../../lib/embedded/data-dir.ts';
export { startTestServers, untilHandled, type TestServers } from '../../../lib/embedded/test-servers.ts';
export { runInDevelopment } from './development.ts';
export {
  request,
  startTestMembership,
  TEST_CALLER_KEY,
  type TestAnswer,
  type TestAssociation,
  type TestAssociations,
  type TestMember,
} from './test-callers.ts';
