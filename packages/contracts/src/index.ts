/** What other services know of the association service: events, errors, roles, accounts and public actions. */
export {
  ALL_TYPES,
  EVENT_SCHEMAS,
  filterOf,
  PUBLISHERS,
  STREAM,
  subjectOf,
  type AnyEvent,
  type EventData,
  type EventType,
  type LedgerEvent,
} from '../../../lib/contracts/events.ts';
export { eventSchema, exampleEvent } from '../../../lib/contracts/event-schema.ts';
export type { JsonSchema } from '../../../lib/schema/json-schema.ts';

export { ERRORS, isErrorCode, type ErrorCode } from '../../../lib/errors/codes.ts';
export type { ErrorEntry } from '../../../lib/errors/table/entry.ts';
export {
  callFailure,
  declareErrors,
  invalid,
  Problem,
  problem,
  problemCode,
  problemExtras,
  type FieldComplaint,
  type ProblemExtras,
} from '../../../lib/errors/problem.ts';

export {
  BOARD,
  isBoardRole,
  PERMISSION_TABLE,
  PERMISSIONS,
  ROLES,
  type Permission,
  type Role,
} from '../../../lib/contracts/permissions.ts';
export * from '../../../lib/contracts/accounts.ts';

/** The fields of contracts, from which validation, types and JSON Schemas are derived. */
export * as fields from '../../../lib/contracts/fields.ts';
export {
  always,
  chapter,
  command,
  nothing,
  type Answer,
  type Caller,
  type Command,
  type CommandInput,
  type Endpoint,
  type EndpointInput,
} from '../../../lib/contracts/action.ts';
export { route, type DeclaredRoute, type Method, type ServiceApi } from '../../../lib/contracts/service-api.ts';
export * as contribution from './actions/contribution.ts';
export * as governance from './actions/governance.ts';
export * as membership from './actions/membership.ts';
export * as treasury from './actions/treasury.ts';
