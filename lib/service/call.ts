import { setTimeout as delay } from 'node:timers/promises';
import type { ServiceBroker } from 'moleculer';
import type { Answer, Command, CommandInput } from '../contracts/action.ts';
import { callFailure, problemCode, refusalIn, type Refusal } from '../errors/problem.ts';
import { NOT_BEGUN_AFTER_MS } from '../transport/late-requests.ts';
import type { CallLocals, CallMeta } from './call-context.ts';
import { nodeFor, nodesWith, routingKey } from './routing.ts';

/**
 * How long a service waits for another service's answer: half as long as the gateway waits, so that there is time left to
 * answer the client.
 */
export const CALL_TIMEOUT_MS = 5_000;

type Registry = ServiceBroker['registry'];

interface CallOptions {
  timeout?: number;
  nodeID?: string;
  meta?: object;
}

/** An object that makes calls: the context inside an action, and the broker elsewhere. */
export interface CanCall {
  call(action: string, params: unknown, options?: CallOptions): Promise<unknown>;
  /** Set on the broker. */
  registry?: Registry;
  /** Set on a context. */
  broker?: { registry?: Registry };
  requestID?: string | null;
  meta?: { traceparent?: string };
  /** Set on a context. */
  locals?: CallLocals;
}

/**
 * Calls another service's command; see callOnAnyNode().
 * @throws the refusal of the other service, or Moleculer's error, which callFailure() classifies
 */
export async function call<C extends Command>(
  via: CanCall,
  contract: C,
  input: CommandInput<C>,
  timeout_ms = CALL_TIMEOUT_MS,
  statement = statementFor(via, contract),
): Promise<Answer<C>> {
  const reads = contract.reads?.(input) === true;
  const options = { reads, timeout_ms, meta: metaWith(contract, statement) };
  return (await callOnAnyNode(via, contract.name, input, options)) as Answer<C>;
}

/** Returns the gateway's statement for the service of a command, if one came with the call that this context handles. */
export function statementFor({ locals }: CanCall, { name }: Command): string | undefined {
  return locals?.statements?.[serviceOf(name)];
}

/**
 * A service gets no statement that was made for another one. The metadata always says so, as Moleculer adds that of an earlier call of
 * the same request.
 */
function metaWith({ name }: Command, statement: string | undefined): CallMeta {
  return { statements: statement === undefined ? undefined : { [serviceOf(name)]: statement } };
}

function serviceOf(action: string): string {
  return action.slice(0, action.indexOf('.'));
}

/**
 * Calls another service's command, and returns a refusal instead of throwing it.
 * @throws any other error: the outcome is unknown until the same call is repeated
 */
export async function callOrRefusal<C extends Command>(
  via: CanCall,
  contract: C,
  input: CommandInput<C>,
  timeout_ms = CALL_TIMEOUT_MS,
  statement = statementFor(via, contract),
): Promise<{ answer: Answer<C>; refusal?: undefined } | { answer?: undefined; refusal: Refusal }> {
  try {
    return { answer: await call(via, contract, input, timeout_ms, statement) };
  } catch (error) {
    const refusal = callFailure(error) === 'refused' ? refusalIn(error) : undefined;
    if (refusal === undefined) throw error;
    return { refusal };
  }
}

/** Calls the command on all nodes that have it, and returns the first answer: a frozen node does not delay the others. */
export async function callAllNodes<C extends Command>(
  via: CanCall,
  { name }: C,
  input: CommandInput<C>,
  timeout: number,
): Promise<Answer<C>> {
  const calls = nodesWith(registryOf(via), name).map((nodeID) => via.call(name, input, { timeout, nodeID }));
  return (await Promise.any(calls)) as Answer<C>;
}

/** Whether a node that has the command is known. */
export function isServed(via: CanCall, { name }: Command): boolean {
  return nodesWith(registryOf(via), name).length > 0;
}

/**
 * Calls the command on every node that has it.
 * @throws if one of them does not answer
 */
export async function callEveryNode<C extends Command>(
  via: CanCall,
  { name }: C,
  input: CommandInput<C>,
  timeout = CALL_TIMEOUT_MS,
): Promise<void> {
  await Promise.all(nodesWith(registryOf(via), name).map((nodeID) => via.call(name, input, { timeout, nodeID })));
}

/**
 * Calls an action, for a routed service on the node of the association (see routing.ts). If the chosen node cannot serve, the
 * call is repeated once on another node, provided that this is safe: the action only reads, or certainly has not begun. A
 * call that timed out is not repeated.
 */
export async function callOnAnyNode(
  via: CanCall,
  action: string,
  params: unknown,
  { reads, timeout_ms, meta }: { reads: boolean; timeout_ms?: number; meta?: object },
): Promise<unknown> {
  const registry = registryOf(via);
  const key = routingKey(registry, action, params);
  const first = key === undefined ? undefined : nodeFor(key, nodesWith(registry, action));
  const callOn = (nodeID: string | undefined, left_ms = timeout_ms): Promise<unknown> => {
    const sent = via.call(action, params, callOptions(nodeID, left_ms, meta));
    return reads ? sent : untilItCannotBegin(sent);
  };
  const began_ms = performance.now();
  try {
    return await callOn(first);
  } catch (error) {
    const failure = (error ?? {}) as Failure;
    const isSafe = hasNotRun(failure) || (reads && couldNotServe(failure));
    const nodeID = isSafe && isFailureOf(action, failure) ? otherNode(via, action, key, failure) : undefined;
    const left_ms = timeout_ms === undefined ? undefined : timeout_ms - (performance.now() - began_ms);
    // After a write that is not answered in time, its caller waits for NOT_BEGUN_AFTER_MS.
    const needed_ms = reads ? 0 : NOT_BEGUN_AFTER_MS;
    if (nodeID === undefined || (left_ms !== undefined && left_ms <= needed_ms)) throw error;
    return callOn(nodeID, left_ms);
  }
}

/**
 * Tells the outcome of a write, but that it is unknown only when the node no longer begins it. Otherwise a node that was frozen when
 * it got the write, or a copy of it, would execute it when it wakes, although a repeat was refused meanwhile.
 */
async function untilItCannotBegin(sent: Promise<unknown>): Promise<unknown> {
  const sent_ms = performance.now();
  try {
    return await sent;
  } catch (error) {
    const failure = (error ?? {}) as Failure;
    const last_ms = failure.ctx?.locals?.resent_ms ?? sent_ms;
    if (isUnanswered(failure)) await delay(Math.max(0, last_ms + NOT_BEGUN_AFTER_MS - performance.now()));
    throw error;
  }
}

/** Without a node, Moleculer chooses one; without a timeout, that of the broker applies. */
function callOptions(nodeID: string | undefined, timeout: number | undefined, meta: object | undefined): CallOptions {
  return {
    ...(timeout === undefined ? {} : { timeout }),
    ...(nodeID === undefined ? {} : { nodeID }),
    ...(meta === undefined ? {} : { meta }),
  };
}

/** The members that Moleculer adds to an error. */
interface Failure {
  type?: unknown;
  /** The node that refused, unless it is this node. */
  nodeID?: string;
  /** The call that this node made. */
  ctx?: { nodeID?: string | null; locals?: CallLocals };
  /** In Moleculer's own errors: the call that failed, made by this node or by the called one. */
  data?: { action?: unknown; nodeID?: string; isLate?: boolean };
}

/** Moleculer's errors if a node lacks the action, or has got the call too late (late-requests.ts). */
const NOT_RUN_TYPES = ['SERVICE_NOT_FOUND', 'SERVICE_NOT_AVAILABLE'];

function hasNotRun({ type }: Failure): boolean {
  return NOT_RUN_TYPES.includes(String(type));
}

/** Whether the node has disappeared, or has answered that it cannot serve at present. */
function couldNotServe(failure: Failure): boolean {
  return problemCode(failure) === 'service_unavailable' || lostNode(failure);
}

/** Whether a call has failed because its node was killed or no longer answered. The call may have run. */
export function lostNode(error: unknown): boolean {
  return (error as Failure | null | undefined)?.type === 'REQUEST_REJECTED';
}

/** Whether this call has failed without an answer of its node. Errors in answers name the node. */
function isUnanswered({ type, nodeID }: Failure): boolean {
  return nodeID === undefined && (type === 'REQUEST_REJECTED' || type === 'REQUEST_TIMEOUT');
}

/** Whether this call has failed, and not a call that the action made, which was repeated there if possible. */
function isFailureOf(action: string, { nodeID, ctx, data }: Failure): boolean {
  if (data?.action !== undefined) return data.action === action;
  return nodeID === undefined || nodeID === ctx?.nodeID;
}

/**
 * Chooses another node with the action: the next one of the key, or a random one, so that a dead node's calls are spread. A node that
 * has got the call too late may get it again if it is the only one.
 */
function otherNode(via: CanCall, action: string, key: string | undefined, failure: Failure): string | undefined {
  const registry = registryOf(via);
  // An error without a node comes from this one.
  const failed = failure.data?.nodeID ?? failure.nodeID ?? registry?.broker.nodeID;
  const all = nodesWith(registry, action);
  const rest = all.filter((id) => id !== failed);
  const others = rest.length === 0 && failure.data?.isLate === true ? all : rest;
  return key === undefined ? others[Math.floor(Math.random() * others.length)] : nodeFor(key, others);
}

function registryOf(via: CanCall): Registry | undefined {
  return (via.broker ?? via).registry;
}
