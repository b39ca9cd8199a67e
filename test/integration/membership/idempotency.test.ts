import { expect } from 'chai';
import {
  bindIdempotencyKey,
  createAssociation,
  joinAssociation,
  myAssociations,
  resetPin,
  setPin,
} from '../../../lib/contracts/membership.ts';
import { NEW_ASSOCIATION, useAssociation } from '../../harness/membership.ts';
import { outcomeOf } from '../../harness/refusal.ts';
import { TOO_OLD_MS } from '../../harness/service-harness.ts';

/** As if the time had passed for which keys are held unless their request renews it. */
const END_HOLDS = `UPDATE idempotency_keys SET held_until = '-infinity' WHERE answer IS NULL`;

describe('a write with an Idempotency-Key', () => {
  const harness = useAssociation();
  let key: string;
  beforeEach(() => {
    key = harness.newId();
  });

  const found = (body: typeof NEW_ASSOCIATION = NEW_ASSOCIATION) =>
    harness.as(`founder-${key}`, createAssociation, { body }, { key });
  const founded = async () => (await harness.as(`founder-${key}`, myAssociations)).data.map(({ id }) => id);
  const joining = () => ({ ...harness.path(), body: { hands: 2 } });
  const join = (user = 'binta') => harness.as(user, joinAssociation, joining(), { key });
  const claims = () =>
    harness.sql<{ operation_id: string; answered: boolean }>(
      'SELECT operation_id, answer IS NOT NULL AS answered FROM idempotency_keys WHERE key = $1',
      key,
    );
  const count = async () => (await harness.show()).member_count;
  /** Repeats a write whose process dies right after the claim; expects that repeats get the first answer. */
  const repeated = async <T>(write: () => Promise<T>): Promise<T> => {
    harness.failAt('idempotency.claimed');
    expect(await outcomeOf(write())).to.equal('internal_error');
    expect(await outcomeOf(write())).to.equal('idempotency_in_flight');
    await harness.sql(END_HOLDS);
    const first = await write();
    const second = await write();
    expect(second).to.deep.equal(first);
    expect(harness.headOf(first).replayed).to.equal(false);
    expect(harness.headOf(second)).to.deep.equal({ ...harness.headOf(first), replayed: true });
    expect((await claims()).map(({ answered }) => answered)).to.deep.equal([true]);
    return first;
  };
  /** Expects that the same transaction wrote the effect and the answer. */
  const expectOneTransaction = async (table: string, id: string, column = 'id') => {
    const same = await harness.sql(
      `SELECT effect.xmin = claim.xmin AS same FROM ${table} AS effect, idempotency_keys AS claim
       WHERE effect.${column} = $1 AND claim.key = $2`,
      id,
      key,
    );
    expect(same).to.deep.equal([{ same: true }]);
  };
  /** Does the same for a write that inserts a row with the id of the operation. */
  const repeatedOf = async <T extends { id: string }>(table: string, write: () => Promise<T>): Promise<T> => {
    const made = await repeated(write);
    expect((await claims())[0]?.operation_id).to.equal(made.id);
    await expectOneTransaction(table, made.id);
    return made;
  };

  it('founds one association, whose id is the id of the operation', async () => {
    const { id } = await repeatedOf('associations', found);
    expect(await founded()).to.deep.equal([id]);
    const another = { ...NEW_ASSOCIATION, name: 'Another' };
    expect(await outcomeOf(found(another as never))).to.equal('idempotency_key_reused');
  });

  it('binds the key of another service, whose operation a process of 0.1.0 does not say', async () => {
    const bound = { user_id: 'awa', key, fingerprint: 'f' };
    expect(await harness.command(bindIdempotencyKey, bound)).to.deep.equal({ ok: true });
    const [unsaid] = await claims();
    expect(unsaid?.operation_id).to.match(/^[0-9a-f-]{36}$/);
    key = harness.newId();
    const operation_id = harness.newId();
    await harness.command(bindIdempotencyKey, { ...bound, key }, key, operation_id);
    expect((await claims()).map((each) => each.operation_id)).to.deep.equal([operation_id]);
  });

  it('joins once, and rejoins once as the same member', async () => {
    const { id } = await repeatedOf('members', join);
    expect(await count()).to.equal(3);
    await harness.leave('binta');
    expect((await join()).id).to.equal(id);
    expect(await count()).to.equal(2);
    key = `${key}-again`;
    expect((await repeated(join)).id).to.equal(id);
    expect(await count()).to.equal(3);
  });

  it('joins once if the process was frozen while a repeat took over, and tells the late request to try again', async () => {
    const { there, goOn } = harness.holdAt('idempotency.claimed');
    const late = outcomeOf(join());
    await there;
    await harness.sql(END_HOLDS);
    const { id } = await join();
    goOn();
    expect(await late).to.equal('idempotency_in_flight');
    expect((await join()).id).to.equal(id);
    expect(await count()).to.equal(3);
  });

  it('does not begin if its key was claimed late: the key is free again, and an operation that had begun is kept', async () => {
    const late = () => outcomeOf(harness.as('binta', joinAssociation, joining(), { key, age_ms: TOO_OLD_MS }));
    expect(await late()).to.equal('SERVICE_NOT_AVAILABLE');
    expect(await claims()).to.deep.equal([]);
    expect(await count()).to.equal(2);

    harness.failAt('idempotency.claimed');
    expect(await outcomeOf(join())).to.equal('internal_error');
    await harness.sql(END_HOLDS);
    const begun = await claims();
    expect(await late()).to.equal('SERVICE_NOT_AVAILABLE');
    expect(await claims()).to.deep.equal(begun);
    expect((await join()).id).to.equal(begun[0]?.operation_id);
    // Its answer is kept, and told even to a late repeat.
    expect(await late()).to.equal('done');
    expect(await count()).to.equal(3);
  });

  it('creates one invitation and repeats its code; accepting it counts as one use', async () => {
    const { id, code } = await repeatedOf('invitations', () => harness.invite('host', { key }));
    key = `${key}-accept`;
    const guest = await repeated(() => harness.accept('binta', code, 1, key));
    await expectOneTransaction('members', guest.id);
    expect(await count()).to.equal(3);
    expect(await harness.sql('SELECT uses FROM invitations WHERE id = $1', id)).to.deep.equal([{ uses: 1 }]);
  });

  it('changes and ends a membership once', async () => {
    const { awa, association_id } = harness;
    const change = () => harness.change('awa', { hands: 3 }, key);
    await repeated(change);
    await expectOneTransaction('members', awa.id);
    await harness.change('awa', { hands: 5 });
    expect((await change()).hands).to.equal(3);
    expect((await harness.members())[1]?.hands).to.equal(5);

    key = `${key}-leave`;
    const leave = () => harness.leave('awa', association_id, key);
    await repeated(leave);
    await expectOneTransaction('members', awa.id);
    await harness.join('awa');
    await leave();
    expect(await count()).to.equal(2);
  });

  it('sets and resets a PIN once', async () => {
    const user = `user-${key}`;
    const body = { pin: await harness.seal('1234') };
    await repeated(() => harness.as(user, setPin, { body }, { key }));
    await expectOneTransaction('pins', user, 'user_id');
    key = `${key}-reset`;
    const reset = () => harness.as('operator', resetPin, { path: { user_id: user } }, { key, scopes: ['pins:reset'] });
    await repeated(reset);
    await harness.setPin(user, '4321');
    await reset();
    expect(await harness.sql('SELECT FROM pins WHERE user_id = $1', user)).to.have.length(1);
  });

  it('does not claim a key if the request is invalid', async () => {
    await harness.as('host', createAssociation, { body: NEW_ASSOCIATION }, { key });
    const body = { ...NEW_ASSOCIATION, contribution_amount: 0.5 };
    const wrong = harness.as('host', createAssociation, { body }, { key });
    expect(await outcomeOf(wrong)).to.equal('amount_precision');
    expect(await outcomeOf(harness.change('host', { pin: 'x' }, key))).to.equal('validation_failed');
    expect(await outcomeOf(harness.change('host', { hands: 2 }, key))).to.equal('idempotency_key_reused');
  });
});
