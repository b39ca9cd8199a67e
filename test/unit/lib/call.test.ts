import { expect } from 'chai';
import { Errors } from 'moleculer';
import { callOnAnyNode } from '../../../lib/actions/call.ts';
import type { CanCall } from '../../../lib/actions/call.ts';
import { problem } from '../../../lib/errors/problem.ts';

const ACTION = 'treasury.transfer';

describe('a call that its node does not serve', () => {
  /** What becomes of a call whose first node, of two, fails so. */
  async function outcome(error: Error, reads: boolean): Promise<string> {
    const nodes: (string | undefined)[] = [];
    const endpoints = ['a', 'b'].map((id) => ({ id, isAvailable: true }));
    const registry = { getActionEndpoints: () => ({ endpoints }), broker: { nodeID: 'here' } };
    const call: CanCall['call'] = (_action, _params, options) =>
      nodes.push(options?.nodeID) === 1 ? Promise.reject(error) : Promise.resolve('answered');
    await callOnAnyNode({ call, registry } as unknown as CanCall, ACTION, {}, { reads }).catch(() => undefined);
    return nodes.length === 1 ? 'failed' : `repeated on ${String(nodes[1])}`;
  }

  const on_a = { action: ACTION, nodeID: 'a' };
  const cases: [what: string, error: Error, read: string, write: string][] = [
    ['had left the registry', new Errors.ServiceNotFoundError(on_a), 'repeated on b', 'repeated on b'],
    ['was not reached', new Errors.ServiceNotAvailableError(on_a), 'repeated on b', 'repeated on b'],
    ['went away', new Errors.RequestRejectedError(on_a), 'repeated on b', 'failed'],
    [
      ...(['cannot serve', Object.assign(problem('service_unavailable'), { nodeID: 'a' })] as const),
      ...(['repeated on b', 'failed'] as const),
    ],
    ['is late', new Errors.RequestTimeoutError(on_a), 'failed', 'failed'],
    ['refuses', problem('insufficient_funds'), 'failed', 'failed'],
  ];
  for (const [what, error, read, write] of cases) {
    it(`is, where the node ${what}, ${read} if it reads, ${write} if it writes`, async () => {
      expect([await outcome(error, true), await outcome(error, false)]).to.deep.equal([read, write]);
    });
  }

  it('is not repeated as one that has not begun where that is said of a call that it made itself', async () => {
    const inner = new Errors.ServiceNotFoundError({ action: 'membership.authorize', nodeID: 'c' });
    expect(await outcome(inner, false)).to.equal('failed');
  });
});
