import { expect } from 'chai';
import { operationIdOf } from '../../services/gateway/openapi/operation.rules.ts';
import { startCountedServices, type CountedServices } from '../harness/counted-services.ts';
import { ALL_ROUTES } from '../harness/own-document.ts';
import { measureProposals, measureTreasury } from './query-counts/board.ts';
import { COSTS, usualCost } from './query-counts/costs.ts';
import { measureRotation, measureSavings } from './query-counts/cycles.ts';
import { measureNotifications, measureWebhooks } from './query-counts/messages.ts';
import { Meter, written } from './query-counts/meter.ts';
import {
  measureAssociations,
  measureMembers,
  measureOverview,
  measurePins,
  measureWallets,
} from './query-counts/people.ts';

/** Numbers of members and of list items. The small group is three officers; the large one fills two rounds of ten. */
const SMALL = 3;
const LARGE = 20;

const WALKS = [
  measureAssociations,
  measureOverview,
  measureMembers,
  measurePins,
  measureWallets,
  measureWebhooks,
  measureNotifications,
  measureRotation,
  measureSavings,
  measureTreasury,
  measureProposals,
];

describe('the statements of each operation', function () {
  this.timeout(120_000);
  let services: CountedServices;
  let small: Meter;
  let large: Meter;

  before(async () => {
    services = await startCountedServices();
    [small, large] = [new Meter(services, SMALL), new Meter(services, LARGE)];
    for (const measure of WALKS) await measure(small);
    for (const measure of WALKS) await measure(large);
  });
  after(() => services.stop());

  const table = ({ costs }: Meter) => Object.fromEntries([...costs].map(([name, cost]) => [name, written(cost)]));

  it('are counted for every route', () => {
    const measured = new Set([...large.costs.keys()].map((name) => name.split(',')[0]));
    const routes = ALL_ROUTES.map(({ endpoint }) => operationIdOf(endpoint.name));
    expect(routes.filter((operation) => !measured.has(operation))).to.deep.equal([]);
  });

  it('do not grow with the group or the list', () => {
    expect(table(large)).to.deep.equal(table(small));
  });

  it('are as many as the table of costs lists', () => {
    const measured = table(large);
    const expected = Object.keys(measured).map((name) => [name, COSTS[name] ?? usualCost(name)]);
    expect(measured).to.deep.equal({ ...COSTS, ...Object.fromEntries(expected) });
  });

  it('are executed before the answer is sent', () => {
    expect([...large.costs].filter(([, { late }]) => late.length > 0)).to.deep.equal([]);
  });

  it('belong to a request or to known background work', () => {
    expect(services.strays).to.deep.equal([]);
  });
});
