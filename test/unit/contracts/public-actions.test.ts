import { expect } from 'chai';
import type { Command, Endpoint } from '../../../lib/contracts/action.ts';
import * as contribution from '../../../packages/contracts/src/actions/contribution.ts';
import * as governance from '../../../packages/contracts/src/actions/governance.ts';
import * as membership from '../../../packages/contracts/src/actions/membership.ts';
import * as treasury from '../../../packages/contracts/src/actions/treasury.ts';
import { ROUTES } from '../../../services/gateway/routes.ts';

/** Commands that other teams may call: they read what an action needs before it decides, or which members a service has to tell. */
const COMMANDS = [
  'contribution.meeting_summary',
  'governance.waiting_votes',
  'membership.authorize',
  'membership.board',
  'membership.roster',
];

describe('the public actions of @association-service/contracts', () => {
  const actions: (Command | Endpoint)[] = [contribution, governance, membership, treasury].flatMap((service) =>
    Object.values<Command | Endpoint>(service),
  );

  it('are the endpoints that read, and a few commands', () => {
    const reads = ROUTES.filter(({ method }) => method === 'GET').map(({ endpoint }) => endpoint.name);
    expect(actions.map(({ name }) => name)).to.have.members([...reads, ...COMMANDS]);
  });

  it('only read', () => {
    const commands = actions.filter((action) => action.kind === 'command');
    expect(commands.filter((command) => command.reads === undefined)).to.deep.equal([]);
  });
});
