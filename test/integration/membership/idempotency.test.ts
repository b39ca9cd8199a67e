import { expect } from 'chai';
import {
  acceptInvitation,
  changeOwnMembership,
  createAssociation,
  createInvitation,
  getAssociation,
  joinAssociation,
  leaveAssociation,
  listMembers,
  myAssociations,
  resetPin,
  setPin,
} from '../../../lib/contracts/membership.ts';
import { NEW_ASSOCIATION, useMembership } from '../../harness/membership.ts';
import { outcomeOf } from '../../harness/refusal.ts';

/** After so long the request that has claimed a key counts as dead. */
const HOLD_IS_OVER_MS = 20_000;

describe('a write with an Idempotency-Key', () => {
  const bench = useMembership();
  let association_id: string;
  let keys = 0;
  let key: string;
  beforeEach(async () => {
    key = `key-${String((keys += 1))}`;
    ({ id: association_id } = await bench.found('host'));
  });

  const path = () => ({ path: { association_id } });
  const claims = () =>
    bench.sql<{ operation_id: string; answered: boolean }>(
      'SELECT operation_id, answer IS NOT NULL AS answered FROM idempotency_keys WHERE key = $1',
      key,
    );
  const countMembers = async () => (await bench.as('host', getAssociation, path())).member_count;
  /** The answer is there if, and only if, the effect is: one transaction wrote both. */
  const expectOneTransaction = async (table: string, column: string, value: string) => {
    const [same] = await bench.sql<{ same: boolean }>(
      `SELECT effect.xmin = claim.xmin AS same FROM ${table} AS effect, idempotency_keys AS claim
       WHERE effect.${column} = $1 AND claim.key = $2`,
      value,
      key,
    );
    expect(same).to.deep.equal({ same: true });
  };
  /** A write that gives its first answer when repeated, also after its process died right after the claim. */
  const repeated = async <T>(write: () => Promise<T>): Promise<T> => {
    bench.failAt('idempotency.claimed');
    expect(await outcomeOf(write())).to.equal('internal_error');
    expect(await outcomeOf(write())).to.equal('idempotency_in_flight');
    bench.clock.offset_ms += HOLD_IS_OVER_MS;
    const first = await write();
    expect(bench.headOf(first).replayed).to.equal(false);
    const second = await write();
    expect(second).to.deep.equal(first);
    expect(bench.headOf(second).replayed).to.equal(true);
    expect(bench.headOf(second).location).to.equal(bench.headOf(first).location);
    expect((await claims()).map(({ answered }) => answered)).to.deep.equal([true]);
    return first;
  };

  it('founds one association, which goes by the id of the operation', async () => {
    const founder = `founder-${key}`;
    const found = () => bench.as(founder, createAssociation, { body: NEW_ASSOCIATION }, { key });
    const { id } = await repeated(found);
    expect((await claims())[0]?.operation_id).to.equal(id);
    await expectOneTransaction('associations', 'id', id);
    expect((await bench.as(founder, myAssociations)).data.map((each) => each.id)).to.deep.equal([id]);
    const another = bench.as(founder, createAssociation, { body: { ...NEW_ASSOCIATION, name: 'Another' } }, { key });
    expect(await outcomeOf(another)).to.equal('idempotency_key_reused');
  });

  it('has its effect once when sent many times at once', async () => {
    const founder = `founder-${key}`;
    const attempts = await Promise.allSettled(
      Array.from({ length: 6 }, () => bench.as(founder, createAssociation, { body: NEW_ASSOCIATION }, { key })),
    );
    for (const attempt of attempts) {
      if (attempt.status === 'rejected')
        expect(attempt).to.have.nested.property('reason.type', 'idempotency_in_flight');
    }
    expect((await bench.as(founder, myAssociations)).data).to.have.length(1);
  });

  it('joins once, and rejoins once as the same member', async () => {
    const join = () => bench.as('awa', joinAssociation, { ...path(), body: { hands: 2 } }, { key });
    const { id } = await repeated(join);
    expect((await claims())[0]?.operation_id).to.equal(id);
    await expectOneTransaction('members', 'id', id);
    expect(await countMembers()).to.equal(2);
    await bench.as('awa', leaveAssociation, path());
    expect((await join()).id).to.equal(id);
    expect(await countMembers()).to.equal(1);
    key = `${key}-again`;
    expect((await repeated(join)).id).to.equal(id);
    expect(await countMembers()).to.equal(2);
  });

  it('makes one invitation and gives its code again; uses it up once', async () => {
    const invite = () =>
      bench.as('host', createInvitation, { ...path(), body: { max_uses: 1, expires_in_hours: 1 } }, { key });
    const { id, code } = await repeated(invite);
    expect((await claims())[0]?.operation_id).to.equal(id);
    await expectOneTransaction('invitations', 'id', id);
    key = `${key}-accept`;
    const guest = await repeated(() => bench.as('awa', acceptInvitation, { path: { code } }, { key }));
    await expectOneTransaction('members', 'id', guest.id);
    expect(await countMembers()).to.equal(2);
    const [row] = await bench.sql('SELECT uses FROM invitations WHERE id = $1', id);
    expect(row).to.deep.equal({ uses: 1 });
  });

  it('changes and ends a membership once', async () => {
    const { id } = await bench.join('awa', association_id);
    const change = () => bench.as('awa', changeOwnMembership, { ...path(), body: { hands: 3 } }, { key });
    await repeated(change);
    await expectOneTransaction('members', 'id', id);
    await bench.as('awa', changeOwnMembership, { ...path(), body: { hands: 5 } });
    expect((await change()).hands).to.equal(3);
    const { data } = await bench.as('host', listMembers, path());
    expect(data.find(({ user_id }) => user_id === 'awa')?.hands).to.equal(5);

    key = `${key}-leave`;
    const leave = () => bench.as('awa', leaveAssociation, path(), { key });
    await repeated(leave);
    await expectOneTransaction('members', 'id', id);
    await bench.join('awa', association_id);
    await leave();
    expect(await countMembers()).to.equal(2);
  });

  it('sets and resets a PIN once', async () => {
    const user = `user-${key}`;
    const body = { pin: await bench.seal('1234') };
    await repeated(() => bench.as(user, setPin, { body }, { key }));
    await expectOneTransaction('pins', 'user_id', user);
    key = `${key}-reset`;
    const reset = () => bench.as('operator', resetPin, { path: { user_id: user } }, { key, scopes: ['pins:reset'] });
    await repeated(reset);
    await bench.setPin(user, '4321');
    await reset();
    expect(await bench.sql('SELECT FROM pins WHERE user_id = $1', user)).to.have.length(1);
  });

  it('that is refused frees the key', async () => {
    await bench.sql('UPDATE associations SET is_public = false WHERE id = $1', association_id);
    const join = () => bench.as('awa', joinAssociation, path(), { key });
    expect(await outcomeOf(join())).to.equal('not_found');
    expect(await claims()).to.deep.equal([]);
    await bench.sql('UPDATE associations SET is_public = true WHERE id = $1', association_id);
    expect(bench.headOf(await join()).replayed).to.equal(false);
  });

  it('claims no key for what the request alone decides', async () => {
    const body = { ...NEW_ASSOCIATION, contribution_amount: 0.5 };
    await bench.as('host', createAssociation, { body: NEW_ASSOCIATION }, { key });
    for (const [attempt, code] of [
      [() => bench.as('host', createAssociation, { body }, { key }), 'amount_precision'],
      [() => bench.as('host', changeOwnMembership, { ...path(), body: { pin: 'x' } }, { key }), 'validation_failed'],
      [
        () => bench.as('host', changeOwnMembership, { ...path(), body: { hands: 2 } }, { key }),
        'idempotency_key_reused',
      ],
    ] as const) {
      expect(await outcomeOf(attempt())).to.equal(code);
    }
  });
});
