import { expect } from 'chai';
import { Errors } from 'moleculer';
import { callOnAnyNode, type CanCall } from '../../../lib/service/call.ts';
import { problem } from '../../../lib/errors/problem.ts';

const ACTION = 'treasury.transfer';

describe('a call that fails on its node', () => {
  /** Returns the outcome of a call whose first node, a, fails with this error. */
  async function outcome(error: Error, reads: boolean, others = ['b']): Promise<string> {
    const nodes: (string | undefined)[] = [];
    const endpoints = ['a', ...others].map((id) => ({ id, isAvailable: true }));
    const registry = { getActionEndpoints: () => ({ endpoints }), broker: { nodeID: 'here' } };
    const call: CanCall['call'] = (_action, _params, options) =>
      nodes.push(options?.nodeID) === 1 ? Promise.reject(error) : Promise.resolve('answered');
    await callOnAnyNode({ call, registry } as unknown as CanCall, ACTION, {}, { reads }).catch(() => undefined);
    return nodes.length === 1 ? 'failed' : `repeated on ${String(nodes[1])}`;
  }

  /** The answer of a node that cannot serve, to a call of node a. */
  const unavailable = (nodeID: string) =>
    Object.assign(problem('service_unavailable'), { nodeID, ctx: { nodeID: 'a' } });
  const on_a = { action: ACTION, nodeID: 'a' };
  /** A call that the action itself made; only the action may repeat it. */
  const on_c = { action: 'membership.authorize', nodeID: 'c' };
  const cases: [what: string, error: Error, read: string, write: string][] = [
    ['left the registry', new Errors.ServiceNotFoundError(on_a), 'repeated on b', 'repeated on b'],
    ['was not reached', new Errors.ServiceNotAvailableError(on_a), 'repeated on b', 'repeated on b'],
    ['stopped', new Errors.RequestRejectedError(on_a), 'repeated on b', 'failed'],
    ['cannot serve', unavailable('a'), 'repeated on b', 'failed'],
    ['times out', new Errors.RequestTimeoutError(on_a), 'failed', 'failed'],
    ['refuses', problem('insufficient_funds'), 'failed', 'failed'],
    ['called a node that left the registry', new Errors.ServiceNotFoundError(on_c), 'failed', 'failed'],
    ['called a node that was not reached', new Errors.ServiceNotAvailableError(on_c), 'failed', 'failed'],
    ['called a node that stopped', new Errors.RequestRejectedError(on_c), 'failed', 'failed'],
    ['called a node that cannot serve', unavailable('c'), 'failed', 'failed'],
  ];
  for (const [what, error, read, write] of cases) {
    it(`is ${read} if it reads and ${write} if it writes, when the node ${what}`, async () => {
      expect([await outcome(error, true), await outcome(error, false)]).to.deep.equal([read, write]);
    });
  }

  it('is repeated on a random other node', async () => {
    const error = new Errors.ServiceNotAvailableError(on_a);
    const calls = Array.from({ length: 200 }, () => outcome(error, false, ['b', 'c', 'd']));
    const nodes = ['b', 'c', 'd'].map((id) => `repeated on ${id}`);
    expect(new Set(await Promise.all(calls))).to.deep.equal(new Set(nodes));
  });
});
