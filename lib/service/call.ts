import type { ServiceBroker } from 'moleculer';
import type { Answer, Command, CommandInput } from '../contracts/action.ts';
import { callFailure, problemCode, refusalIn } from '../errors/problem.ts';
import type { Refusal } from '../errors/problem.ts';

/**
 * How long a service waits for another's answer: half of what the gateway waits for it, so that there is time left to
 * say what is known.
 */
const ANSWER_TIMEOUT_MS = 5_000;

type Registry = ServiceBroker['registry'];

/** What can make a call: a context inside an action, the broker outside of one. */
export interface CanCall {
  call(action: string, params: unknown, options?: { timeout?: number; nodeID?: string }): Promise<unknown>;
  /** Of the broker. */
  registry?: Registry;
  /** Of a context. */
  broker?: { registry?: Registry };
  requestID?: string | null;
  meta?: { traceparent?: string };
}

/**
 * Calls another service's command; see callOnAnyNode().
 * @param timeout_ms waits at most this long
 * @throws the refusal of the other service, or Moleculer's error; callFailure() tells what it means
 */
export async function call<C extends Command>(
  via: CanCall,
  contract: C,
  input: CommandInput<C>,
  timeout_ms = ANSWER_TIMEOUT_MS,
): Promise<Answer<C>> {
  const reads = contract.reads?.(input) === true;
  return (await callOnAnyNode(via, contract.name, input, { reads, timeout_ms })) as Answer<C>;
}

/**
 * Calls another service's command where a refusal is one of the answers.
 * @throws what else went wrong: only the same call again can tell what became of it
 */
export async function callOrRefusal<C extends Command>(
  via: CanCall,
  contract: C,
  input: CommandInput<C>,
  timeout_ms = ANSWER_TIMEOUT_MS,
): Promise<{ answer: Answer<C>; refusal?: undefined } | { answer?: undefined; refusal: Refusal }> {
  try {
    return { answer: await call(via, contract, input, timeout_ms) };
  } catch (error) {
    const refusal = callFailure(error) === 'refused' ? refusalIn(error) : undefined;
    if (refusal === undefined) throw error;
    return { refusal };
  }
}

/** Asks all nodes that have the command, and takes the first answer: one that is frozen keeps no other from answering. */
export async function callAllNodes<C extends Command>(
  via: CanCall,
  { name }: C,
  input: CommandInput<C>,
  timeout: number,
): Promise<Answer<C>> {
  const calls = nodesWith(via, name).map((nodeID) => via.call(name, input, { timeout, nodeID }));
  return (await Promise.any(calls)) as Answer<C>;
}

/**
 * Calls an action. Where the chosen node cannot serve, it is called once more, on another node, if that is safe: if the
 * action only reads, or if it certainly has not begun. After a timeout it is not: then the time is over.
 */
export async function callOnAnyNode(
  via: CanCall,
  action: string,
  params: unknown,
  { reads, timeout_ms }: { reads: boolean; timeout_ms?: number },
): Promise<unknown> {
  const options = timeout_ms === undefined ? {} : { timeout: timeout_ms };
  const began_ms = performance.now();
  try {
    return await via.call(action, params, options);
  } catch (error) {
    const failure = (error ?? {}) as Failure;
    const isSafe = NOT_THERE.includes(String(failure.type)) || (reads && couldNotServe(failure));
    const nodeID = isSafe && isOf(action, failure) ? otherNode(via, action, failure) : undefined;
    const left_ms = (timeout_ms ?? Infinity) - (performance.now() - began_ms);
    if (nodeID === undefined || left_ms <= 0) throw error;
    return via.call(action, params, { ...(timeout_ms === undefined ? {} : { timeout: left_ms }), nodeID });
  }
}

/** What Moleculer puts on an error. */
interface Failure {
  type?: unknown;
  /** Where a refusal comes from, unless from this node itself. */
  nodeID?: string;
  /** The call that was made from here. */
  ctx?: { nodeID?: string | null };
  /** Of its own errors: the call that failed, whether made from here or by what was called. */
  data?: { action?: unknown; nodeID?: string };
}

/** Moleculer's errors of a node that does not have the action, as its service has left the registry or is not there. */
const NOT_THERE = ['SERVICE_NOT_FOUND', 'SERVICE_NOT_AVAILABLE'];

/** Whether the node went away, or said that it cannot serve just now. */
function couldNotServe(failure: Failure): boolean {
  return problemCode(failure) === 'service_unavailable' || failure.type === 'REQUEST_REJECTED';
}

/** Whether this call failed, and not one that the action made itself, which was repeated there if it could be. */
function isOf(action: string, { nodeID, ctx, data }: Failure): boolean {
  if (data?.action !== undefined) return data.action === action;
  return nodeID === undefined || nodeID === ctx?.nodeID;
}

/** Another node with the action than the failed one. By chance, so that the calls of a dead node are spread over all. */
function otherNode(via: CanCall, action: string, { nodeID, data }: Failure): string | undefined {
  // Errors of this node itself name none.
  const failed = data?.nodeID ?? nodeID ?? registryOf(via)?.broker.nodeID;
  const others = nodesWith(via, action).filter((id) => id !== failed);
  return others[Math.floor(Math.random() * others.length)];
}

/** The nodes whose services are in the registry, that is, which say that they can serve. */
function nodesWith(via: CanCall, action: string): string[] {
  // There is no list of an action that no node has ever had, whatever Moleculer's types say.
  const list = registryOf(via)?.getActionEndpoints(action);
  const endpoints = list?.endpoints ?? [];
  return endpoints.filter(({ isAvailable }) => isAvailable).map(({ id }) => id);
}

function registryOf(via: CanCall): Registry | undefined {
  return (via.broker ?? via).registry;
}
