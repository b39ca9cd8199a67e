import { expect } from 'chai';
import { Errors } from 'moleculer';
import { callOnAnyNode, type CanCall } from '../../../lib/service/call.ts';
import { problem } from '../../../lib/errors/problem.ts';

const ACTION = 'treasury.transfer';

describe('a call that its node does not serve', () => {
  /** What becomes of a call whose first node, a, fails so. */
  async function outcome(error: Error, reads: boolean, others = ['b']): Promise<string> {
    const nodes: (string | undefined)[] = [];
    const endpoints = ['a', ...others].map((id) => ({ id, isAvailable: true }));
    const registry = { getActionEndpoints: () => ({ endpoints }), broker: { nodeID: 'here' } };
    const call: CanCall['call'] = (_action, _params, options) =>
      nodes.push(options?.nodeID) === 1 ? Promise.reject(error) : Promise.resolve('answered');
    await callOnAnyNode({ call, registry } as unknown as CanCall, ACTION, {}, { reads }).catch(() => undefined);
    return nodes.length === 1 ? 'failed' : `repeated on ${String(nodes[1])}`;
  }

  /** A node's word that it cannot serve, to a call of node a. */
  const unavailable = (nodeID: string) =>
    Object.assign(problem('service_unavailable'), { nodeID, ctx: { nodeID: 'a' } });
  const on_a = { action: ACTION, nodeID: 'a' };
  /** A call that the action itself has made, and that was for it to repeat. */
  const on_c = { action: 'membership.authorize', nodeID: 'c' };
  const cases: [what: string, error: Error, read: string, write: string][] = [
    ['had left the registry', new Errors.ServiceNotFoundError(on_a), 'repeated on b', 'repeated on b'],
    ['was not reached', new Errors.ServiceNotAvailableError(on_a), 'repeated on b', 'repeated on b'],
    ['went away', new Errors.RequestRejectedError(on_a), 'repeated on b', 'failed'],
    ['cannot serve', unavailable('a'), 'repeated on b', 'failed'],
    ['is late', new Errors.RequestTimeoutError(on_a), 'failed', 'failed'],
    ['refuses', problem('insufficient_funds'), 'failed', 'failed'],
    ['called one that had left the registry', new Errors.ServiceNotFoundError(on_c), 'failed', 'failed'],
    ['called one that was not reached', new Errors.ServiceNotAvailableError(on_c), 'failed', 'failed'],
    ['called one that went away', new Errors.RequestRejectedError(on_c), 'failed', 'failed'],
    ['called one that cannot serve', unavailable('c'), 'failed', 'failed'],
  ];
  for (const [what, error, read, write] of cases) {
    it(`is, where the node ${what}, ${read} if it reads, ${write} if it writes`, async () => {
      expect([await outcome(error, true), await outcome(error, false)]).to.deep.equal([read, write]);
    });
  }

  it('is repeated on any of the others', async () => {
    const error = new Errors.ServiceNotAvailableError(on_a);
    const calls = Array.from({ length: 200 }, () => outcome(error, false, ['b', 'c', 'd']));
    const nodes = ['b', 'c', 'd'].map((id) => `repeated on ${id}`);
    expect(new Set(await Promise.all(calls))).to.deep.equal(new Set(nodes));
  });
});
