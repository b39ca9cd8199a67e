import { callOnAnyNode } from '../../../lib/service/call.ts';
import type { Answer, Endpoint } from '../../../lib/contracts/action.ts';
import type { EndpointCall } from './answer-endpoint.ts';
import type { GatewayContext } from './exchange.ts';

/** Calls an action that changes nothing. */
export async function read<E extends Endpoint>(
  ctx: GatewayContext,
  { name }: E,
  input: EndpointCall,
): Promise<Answer<E>> {
  return (await callOnAnyNode(ctx, name, input, { reads: true })) as Answer<E>;
}
