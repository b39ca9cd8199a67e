import { expect } from 'chai';
import type { RunningNode } from '../../../lib/node/node.ts';
import { callOnAnyNode } from '../../../lib/service/call.ts';
import { nodeFor, ROUTED_BY_ASSOCIATION } from '../../../lib/service/routing.ts';
import { eventually } from '../../harness/eventually.ts';
import { startLightNode, whoService } from '../../harness/light-node.ts';
import { testIds } from '../../harness/runtime.ts';

const newId = testIds();
const ASSOCIATIONS = Array.from({ length: 60 }, newId);
const CALLS_EACH = 3;

describe('calls of a routed service', function () {
  this.timeout(30_000);
  let caller: RunningNode;
  let nodes: Record<string, RunningNode>;

  before(async () => {
    caller = await startLightNode('caller', []);
    nodes = { one: await start('one'), two: await start('two') };
    await known('one', 'two');
  });
  after(() => Promise.all([caller, ...Object.values(nodes)].map((node) => node.stop())));

  const start = (name: string) => startLightNode(name, [whoService({ metadata: ROUTED_BY_ASSOCIATION })]);

  /** Waits until the caller knows exactly these nodes. */
  const known = (...names: string[]) =>
    eventually(() => {
      const endpoints = caller.broker.registry.getActionEndpoints('work.who')?.endpoints ?? [];
      expect(endpoints.map(({ id }) => id)).to.have.members(names);
    });

  /** Calls the service several times for each association. @returns the nodes that answered, by association */
  async function serving(): Promise<Map<string, string>> {
    const found = new Map<string, string>();
    for (const association_id of ASSOCIATIONS) {
      const call = () => callOnAnyNode(caller.broker, 'work.who', { association_id }, { reads: false });
      const answers = await Promise.all(Array.from({ length: CALLS_EACH }, call));
      expect(new Set(answers), association_id).to.have.property('size', 1);
      found.set(association_id, answers[0] as string);
    }
    return found;
  }

  it('go to one node for an association, to the other while that is gone, and back when it has returned', async () => {
    const both = await serving();
    for (const id of ASSOCIATIONS) expect(both.get(id)).to.equal(nodeFor(id, ['one', 'two']));
    expect(new Set(both.values())).to.deep.equal(new Set(['one', 'two']));

    await nodes['two']!.stop();
    await known('one');
    expect(new Set((await serving()).values())).to.deep.equal(new Set(['one']));

    nodes['two'] = await start('two');
    await known('one', 'two');
    expect(await serving()).to.deep.equal(both);
  });
});
