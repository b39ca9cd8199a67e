/** A Moleculer node beside those of the association service: it offers actions, and calls public ones. */
export { brokerOptions, type NodeSettings } from '../../../moleculer.config.ts';
export { nodeHealth } from '../../../lib/node/node-health.ts';
export { startNode, type NodeOptions, type RunningNode, type ServiceFactory } from '../../../lib/node/node.ts';
export { callFor } from '../../../lib/service/call-for.ts';
export { call, callOrRefusal, CALL_TIMEOUT_MS, type CanCall } from '../../../lib/service/call.ts';
export {
  answerLocation,
  answerStatus,
  implement,
  implementCommand,
  type CallContext,
  type CallMeta,
} from '../../../lib/service/implement.ts';
export { implementWrite, type WriteContext, type WriteHandler } from '../../../lib/service/implement-write.ts';
export type { Operation } from '../../../lib/idempotency/operation.ts';
export { activeMember, authorizeCaller, requireScope } from '../../../lib/service/authorize-caller.ts';
export { entityTag, requireIfMatch, requireUnchanged } from '../../../lib/service/preconditions.ts';
export { listName, pageThrough, type Cursors, type Position } from '../../../lib/paging/cursors.ts';
export { ROUTED_BY_ASSOCIATION } from '../../../lib/service/routing.ts';
