import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { Errors, ServiceBroker, type Context } from 'moleculer';
import type { Command } from '../../../lib/contracts/action.ts';
import type { CallContext, CallMeta } from '../../../lib/service/call-context.ts';
import { call, callOnAnyNode, type CanCall } from '../../../lib/service/call.ts';
import { nodeFor, ROUTED_BY_ASSOCIATION } from '../../../lib/service/routing.ts';
import { problem } from '../../../lib/errors/problem.ts';
import { NOT_BEGUN_AFTER_MS } from '../../../lib/transport/late-requests.ts';

const ACTION = 'treasury.transfer';

describe('calls of one request', () => {
  it('tell each service only the statement that was made for it', async () => {
    const broker = new ServiceBroker({ logger: false });
    const told: unknown[] = [];
    const tell = ({ meta }: Context<unknown, CallMeta>) => void told.push(meta.statements);
    broker.createService({ name: 'membership', actions: { tell } });
    broker.createService({ name: 'governance', actions: { tell } });
    const begin = async (ctx: CallContext) => {
      ctx.locals.statements = { membership: 'for membership', treasury: 'for treasury' };
      for (const name of ['membership.tell', 'governance.tell']) await call(ctx, { name } as Command, {});
    };
    broker.createService({ name: 'treasury', actions: { begin } });
    await broker.start();
    await broker.call('treasury.begin');
    await broker.stop();
    expect(told).to.deep.equal([{ membership: 'for membership' }, undefined]);
  });
});

describe('a call that fails on its node', () => {
  /** Returns the outcome of a call whose first node, a, fails with this error. */
  async function outcome(error: Error, reads: boolean, others = ['b']): Promise<string> {
    const nodes: (string | undefined)[] = [];
    const endpoints = ['a', ...others].map((id) => ({ id, isAvailable: true, service: { metadata: {} } }));
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

  describe('has an unknown outcome', () => {
    const lost = () => new Errors.RequestRejectedError(on_a);
    const unanswered = () => new Errors.RequestTimeoutError(on_a);
    const answered = () => Object.assign(new Errors.RequestRejectedError(on_c), { nodeID: 'a' });

    /** Returns whether the outcome is told before a lost node no longer begins a write, soon after, or later. */
    async function told(error: Error, reads: boolean, fails_after_ms = 0): Promise<string> {
      let now = 'at once';
      const timers = [
        setTimeout(() => (now = 'once it cannot begin'), NOT_BEGUN_AFTER_MS - 50),
        setTimeout(() => (now = 'later'), 2 * NOT_BEGUN_AFTER_MS - 50),
      ];
      const call = () => sleep(fails_after_ms).then(() => Promise.reject(error));
      await callOnAnyNode({ call }, ACTION, {}, { reads }).catch(() => undefined);
      timers.forEach(clearTimeout);
      return now;
    }

    it('that is told to a read at once', async () => {
      expect(await told(lost(), true)).to.equal('at once');
    });

    it('that is told to a write when a lost node no longer begins it (seed 161)', async () => {
      const outcomes = [told(lost(), false), told(unanswered(), false), told(lost(), false, NOT_BEGUN_AFTER_MS)];
      expect(new Set(await Promise.all(outcomes))).to.deep.equal(new Set(['once it cannot begin']));
    });

    it('that is told to a write at once if its node has answered', async () => {
      expect(await told(answered(), false)).to.equal('at once');
    });
  });

  it('is not repeated if it writes and too little time is left to know that it does not begin later', async () => {
    const nodes: unknown[] = [];
    const endpoints = ['a', 'b'].map((id) => ({ id, isAvailable: true, service: { metadata: {} } }));
    const registry = { getActionEndpoints: () => ({ endpoints }), broker: { nodeID: 'here' } };
    const call: CanCall['call'] = (_action, _params, options) => {
      nodes.push(options?.nodeID);
      return Promise.reject(new Errors.ServiceNotAvailableError(on_a));
    };
    for (const reads of [false, true]) {
      const options = { reads, timeout_ms: NOT_BEGUN_AFTER_MS };
      await callOnAnyNode({ call, registry } as unknown as CanCall, ACTION, {}, options).catch(() => undefined);
    }
    expect(nodes).to.deep.equal([undefined, undefined, 'b']);
  });

  it('is repeated on a random other node', async () => {
    const error = new Errors.ServiceNotAvailableError(on_a);
    const calls = Array.from({ length: 200 }, () => outcome(error, false, ['b', 'c', 'd']));
    const nodes = ['b', 'c', 'd'].map((id) => `repeated on ${id}`);
    expect(new Set(await Promise.all(calls))).to.deep.equal(new Set(nodes));
  });

  describe('of a routed service', () => {
    const NODES = ['a', 'b', 'c'];

    /** Returns the nodes that a call with these parameters is sent to, if all but the last are not reached. */
    async function nodesOf(params: unknown, metadata = ROUTED_BY_ASSOCIATION, failures = 1): Promise<unknown[]> {
      const nodes: (string | undefined)[] = [];
      const endpoints = NODES.map((id) => ({ id, isAvailable: true, service: { metadata } }));
      const registry = { getActionEndpoints: () => ({ endpoints }), broker: { nodeID: 'here' } };
      const call: CanCall['call'] = (action, _params, { nodeID } = {}) => {
        const isRefused = nodes.push(nodeID) <= failures;
        const error = new Errors.ServiceNotAvailableError({ action, nodeID: nodeID! });
        return isRefused ? Promise.reject(error) : Promise.resolve('answered');
      };
      await callOnAnyNode({ call, registry } as unknown as CanCall, ACTION, params, { reads: false });
      return nodes;
    }

    it('goes to the node of its association, or else of its wallet, and then to the next one', async () => {
      for (const id of ['one', 'two', 'three', 'four', 'five', 'six']) {
        const first = nodeFor(id, NODES)!;
        const next = nodeFor(
          id,
          NODES.filter((node) => node !== first),
        );
        const command = { association_id: id, wallet_id: 'another' };
        const ofAssociation = { path: { association_id: id }, query: {}, body: {} };
        const ofWallet = { path: { wallet_id: id }, query: {}, body: { association_id: 'another' } };
        for (const params of [command, ofAssociation, ofWallet]) {
          expect(await nodesOf(params)).to.deep.equal([first, next]);
        }
      }
    });

    it('goes to any node if it names neither, or if the service is not routed', async () => {
      expect(await nodesOf({ user_id: 'u' }, undefined, 0)).to.deep.equal([undefined]);
      expect(await nodesOf({ association_id: 'one' }, {} as typeof ROUTED_BY_ASSOCIATION, 0)).to.deep.equal([
        undefined,
      ]);
    });
  });
});
