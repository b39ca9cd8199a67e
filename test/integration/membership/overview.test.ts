import { expect } from 'chai';
import type { Answer } from '../../../lib/contracts/action.ts';
import * as contribution from '../../../lib/contracts/contribution.ts';
import * as governance from '../../../lib/contracts/governance.ts';
import { overview } from '../../../lib/contracts/membership.ts';
import { OVERVIEW_MAX_ASSOCIATIONS } from '../../../lib/contracts/overview.ts';
import * as treasury from '../../../lib/contracts/treasury.ts';
import { useMembership } from '../../harness/membership.ts';
import { outcomeOf } from '../../harness/refusal.ts';

describe('the overview of a user', () => {
  const harness = useMembership();
  let users = 0;
  let user: string;
  beforeEach(() => {
    user = `overview-${String((users += 1))}`;
  });

  const read = (query: object = {}, by = user): Promise<Answer<typeof overview>> =>
    harness.as(by, overview, { query: { limit: 50, ...query } });
  const idsOf = ({ associations }: Answer<typeof overview>) => associations.map(({ id }) => id);
  /** Founds an association that the user joins. */
  const joined = async (host = `host-of-${user}`) => {
    const { id } = await harness.found(host);
    return harness.join(user, id);
  };

  it('has for each of their associations what the other services know, newest membership first', async () => {
    const mine = await harness.found(user, { name: 'Mine', currency: 'EUR' });
    const other = await joined();
    const due = { meeting_id: harness.newId(), cycle_id: harness.newId(), round: 1, title: null };
    const dues = [{ ...due, due_on: '2026-10-05', due: 10, paid: 4, outstanding: 6 }];
    const figures = { ...harness.contribution.figures, owes: 5, is_owed: 7, dues };
    harness.contribution.figures = figures;
    const waiting = {
      id: harness.newId(),
      subject_type: 'motion' as const,
      subject_id: harness.newId(),
      requested_by_member_id: harness.newId(),
      expires_at: '2026-10-19T18:30:00.000Z',
    };
    const approvals = [waiting];
    harness.governance.next(governance.overview, { associations: [{ association_id: mine.id, approvals }] });

    const { associations, wallets, next_cursor } = await read();
    expect(next_cursor).to.equal(null);
    const { member_id, role, status, hands, joined_at } = mine.membership!;
    expect(associations[1]).to.deep.equal({
      id: mine.id,
      name: 'Mine',
      type: 'tontine',
      currency: 'EUR',
      status: 'active',
      membership: { member_id, role, status, hands, joined_at },
      ...figures,
      approvals,
    });
    expect(associations[0]).to.deep.include({ id: other.association_id, approvals: [] });
    expect(associations[0]!.membership).to.include({ member_id: other.id, role: 'member' });
    expect(wallets.map(({ user_id, currency }) => [user_id, currency])).to.have.deep.members([
      [user, 'EUR'],
      [user, 'XAF'],
    ]);
  });

  it('asks each service once, governance only about associations in which the user is on the board', async () => {
    const mine = await harness.found(user);
    const others = [await joined(), await joined(), await joined()];
    await read();
    const [asked, ...more] = harness.contribution.received(contribution.overview);
    expect(more).to.deep.equal([]);
    expect(asked!.memberships).to.have.deep.members([
      { association_id: mine.id, member_id: mine.membership!.member_id, currency: 'XAF' },
      ...others.map(({ id: member_id, association_id }) => ({ association_id, member_id, currency: 'XAF' })),
    ]);
    expect(harness.governance.received(governance.overview)).to.deep.equal([
      { memberships: [{ association_id: mine.id, member_id: mine.membership!.member_id }] },
    ]);
    expect(harness.treasury.received(treasury.listWallets)).to.deep.equal([{ user_id: user }]);
  });

  it('asks governance about no plain member, and only the treasury about a user without associations', async () => {
    expect(await read()).to.deep.equal({ associations: [], next_cursor: null, wallets: [] });
    expect(harness.contribution.received(contribution.overview)).to.deep.equal([]);
    await joined();
    await read();
    expect(harness.governance.received(governance.overview)).to.deep.equal([]);
    expect(harness.contribution.received(contribution.overview)).to.have.length(1);
  });

  it('has neither associations that the user has left, nor those of others', async () => {
    const { association_id } = await joined();
    await harness.found(`stranger-to-${user}`);
    expect(idsOf(await read())).to.deep.equal([association_id]);
    await harness.leave(user, association_id);
    expect(idsOf(await read())).to.deep.equal([]);
    await harness.join(user, association_id);
    expect(idsOf(await read())).to.deep.equal([association_id]);
  });

  it('is read in pages, of at most as many associations as the limit, with all wallets on each', async () => {
    const founded: string[] = [];
    for (let count = 0; count <= OVERVIEW_MAX_ASSOCIATIONS; count += 1) {
      founded.unshift((await harness.found(user)).id);
    }
    const first = await read({ limit: 200 });
    expect(idsOf(first)).to.deep.equal(founded.slice(0, OVERVIEW_MAX_ASSOCIATIONS));
    const last = await read({ cursor: first.next_cursor! });
    expect(idsOf(last)).to.deep.equal(founded.slice(OVERVIEW_MAX_ASSOCIATIONS));
    expect(last.next_cursor).to.equal(null);
    expect(last.wallets).to.deep.equal(first.wallets).and.to.have.length(1);
    expect(idsOf(await read({ limit: 2 }))).to.deep.equal(founded.slice(0, 2));
    expect(await outcomeOf(read({ cursor: first.next_cursor! }, 'another'))).to.equal('validation_failed');
  });

  it('is refused if a service cannot answer, since it would be wrong', async () => {
    await harness.found(user);
    const outcomes = [];
    for (const [fake, command] of [
      [harness.contribution, contribution.overview],
      [harness.governance, governance.overview],
      [harness.treasury, treasury.listWallets],
    ] as const) {
      fake.next(command, 'unavailable');
      outcomes.push(await outcomeOf(read()));
    }
    expect(outcomes).to.deep.equal(Array(3).fill('SERVICE_NOT_AVAILABLE'));
    expect(await outcomeOf(read())).to.equal('done');
  });
});
