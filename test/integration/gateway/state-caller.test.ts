import { expect } from 'chai';
import { stateCaller } from '../../../lib/contracts/gateway.ts';
import { createAssociation, leaveAssociation, listMembers, pinKeys } from '../../../lib/contracts/membership.ts';
import { contribute, listDues } from '../../../lib/contracts/contribution.ts';
import { problemCode } from '../../../lib/errors/problem.ts';
import { callFor } from '../../../lib/service/call-for.ts';
import { SOME, useGateway } from '../../harness/gateway.ts';

describe('gateway: a service of another team', () => {
  const gateway = useGateway({ services: ['membership', 'contribution'] });
  const token = () => gateway.token({ sub: 'awa', name: 'Awa' });
  const stated = (action: string, given = token()): Promise<unknown> =>
    gateway.broker.call(stateCaller.name, { token: given, action }).then((answer) => answer, problemCode);

  it('calls an action that reads for the user whose token it has', async () => {
    const input = { path: { association_id: SOME }, query: { limit: 50 }, body: {} };
    await callFor(gateway.broker, token(), listMembers, input);
    expect(gateway.seen?.action).to.equal(listMembers.name);
    expect(gateway.seen?.caller).to.include({ user_id: 'awa', name: 'Awa' });
  });

  it('gets statements for the service of the action, and those that it calls for the user', async () => {
    const { statements } = (await stated(listDues.name)) as { statements: object };
    expect(Object.keys(statements).sort()).to.deep.equal(['contribution', 'membership']);
  });

  it('gets none without a valid token, and for no action that changes something, needs no token or does not exist', async () => {
    for (const given of ['x', 'x.y.z', `${token()}x`])
      expect(await stated(listMembers.name, given)).to.equal('token_invalid');
    const others = [contribute, leaveAssociation, createAssociation, pinKeys].map(({ name }) => name);
    const refused = ['membership.open_wallet', 'treasury.transfer', 'membership.bind_idempotency_key', 'x'];
    for (const action of [...others, ...refused]) expect(await stated(action), action).to.equal('not_found');
  });
});
