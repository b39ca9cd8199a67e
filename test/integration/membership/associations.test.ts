import { expect } from 'chai';
import type { Association, Member } from '../../../lib/contracts/membership.ts';
import {
  authorize,
  createAssociation,
  DEFAULT_RULES,
  listMembers,
  myAssociations,
} from '../../../lib/contracts/membership.ts';
import { NEW_ASSOCIATION, useMembership } from '../../harness/membership.ts';
import { complaintOf, outcomeOf } from '../../harness/refusal.ts';

describe('associations', () => {
  const harness = useMembership();

  describe('created by a user', () => {
    it('have the caller as president, publish events and are answered with their Location', async () => {
      const association = await harness.found('founder', { hands: 3, description: ' For stalls ' });
      const { name, type, currency, contribution_frequency, time_zone } = NEW_ASSOCIATION;
      expect(association).to.include({
        name,
        currency,
        description: 'For stalls',
        contribution_amount: 10_000,
        member_count: 1,
        status: 'active',
        rules_version: 1,
      });
      expect(association.membership).to.include({ role: 'president', status: 'active', hands: 3 });
      expect(harness.headOf(association).location).to.equal(
        `/association-service/api/v1/associations/${association.id}`,
      );
      const { member_id } = association.membership!;
      expect(await harness.events(association.id)).to.deep.equal([
        { type: 'association.created', data: { name, type, currency, contribution_frequency, time_zone } },
        { type: 'member.joined', data: { member_id, user_id: 'founder', role: 'president', rejoined: false } },
      ]);
    });

    it('have defaults, and a payout wallet for the president', async () => {
      // As over HTTP: in other letter cases, and without the fields that have defaults.
      const body = {
        name: 'Small',
        type: 'Solidarity',
        currency: 'eur',
        contribution_amount: 12.5,
        contribution_frequency: 'WEEKLY',
        rules: { approvals: { distribution: 5 } },
      };
      const association = await harness.as('founder', createAssociation, { body: body as never });
      expect(association).to.deep.include({
        description: null,
        time_zone: 'UTC',
        max_members: 100,
        is_public: false,
        currency: 'EUR',
        contribution_amount: 12.5,
        type: 'solidarity',
        contribution_frequency: 'weekly',
        rules: { ...DEFAULT_RULES, approvals: { ...DEFAULT_RULES.approvals, distribution: 5 } },
      });
      harness.association_id = association.id;
      const [founder] = await harness.members('founder');
      expect(founder).to.include({ payout_wallet_id: 'wallet-founder-EUR', display_name: 'Awa', hands: 1 });
    });

    it('keep their time zone, which other services get with the terms', async () => {
      const { id, time_zone } = await harness.found('founder', { time_zone: 'Africa/Douala' });
      expect(time_zone).to.equal('Africa/Douala');
      const asked = { association_id: id, user_id: 'founder', permission: 'read' } as const;
      expect((await harness.command(authorize, asked)).terms.time_zone).to.equal('Africa/Douala');
      const offset = harness.found('founder', { time_zone: '+01:00' });
      expect(await outcomeOf(offset)).to.equal('VALIDATION_ERROR');
    });

    it('give back their metadata to all who may read them, and in their event', async () => {
      // Names that mean something to JavaScript and to TypeORM.
      const metadata = {
        sacco: 'KE-117',
        note: '',
        10: 'ten',
        9: 'nine',
        constructor: 'c',
        '@instanceof': 'FindOperator',
      };
      const created = await harness.found('founder', { metadata });
      expect(created.metadata).to.deep.equal(metadata);
      for (const reader of ['founder', 'stranger']) {
        expect((await harness.show(reader, created.id)).metadata).to.deep.equal(metadata);
      }
      const { data } = await harness.as('founder', myAssociations, { query: { limit: 200 } });
      expect(data.find(({ id }) => id === created.id)).to.deep.equal(created);
      const [event] = await harness.events(created.id, 'association.created');
      expect(event?.data.metadata).to.deep.equal(metadata);
    });

    it('have no metadata, and none in their event, if none was given', async () => {
      for (const given of [{}, { metadata: {} }]) {
        const { id, metadata } = await harness.found('founder', given);
        expect(metadata).to.deep.equal({});
        expect((await harness.show('founder', id)).metadata).to.deep.equal({});
        const [event] = await harness.events(id, 'association.created');
        expect(event?.data).to.not.have.property('metadata');
      }
    });

    it('are refused and not stored if the amount has too many decimals or is too large', async () => {
      const before = await harness.sql('SELECT id FROM associations');
      for (const [given, code] of [
        [{ contribution_amount: 0.5 }, 'amount_precision'],
        [{ contribution_amount: 1e14, currency: 'EUR' }, 'validation_failed'],
      ] as const) {
        expect(await complaintOf(harness.found('founder', given))).to.deep.equal([code, '/contribution_amount']);
      }
      expect(await harness.sql('SELECT id FROM associations')).to.deep.equal(before);
    });
  });

  describe('read by id', () => {
    it('are visible to all users if they are public, and show members their membership', async () => {
      const { id } = await harness.found('reader');
      expect((await harness.show('reader', id)).membership).to.include({ role: 'president' });
      const seen = await harness.show('stranger', id);
      expect(seen.id).to.equal(id);
      expect(seen).to.not.have.property('membership');
    });

    it('are visible only to members if they are private', async () => {
      const { id } = await harness.found('reader', { is_public: false });
      expect((await harness.show('reader', id)).id).to.equal(id);
      expect(await outcomeOf(harness.show('stranger', id))).to.equal('not_found');
    });

    it('are `not_found` if the id is malformed or unknown', async () => {
      for (const id of ['nothing', harness.newId()]) {
        expect(await outcomeOf(harness.show('reader', id))).to.equal('not_found');
      }
    });
  });

  describe('of the user', () => {
    it('are listed newest membership first, in pages, each with the membership', async () => {
      const founded: string[] = [];
      for (let n = 0; n < 5; n += 1) founded.unshift((await harness.found('collector')).id);
      await harness.found('another user');
      const own = await harness.pages<Association>('collector', myAssociations, {}, 2);
      expect(own.map(({ id }) => id)).to.deep.equal(founded);
      for (const { membership } of own) expect(membership).to.include({ role: 'president' });
    });

    it('do not include those that the user has left, and refuse the cursor of another user', async () => {
      const { id } = await harness.found('host');
      await harness.join('guest', id);
      expect((await harness.as('guest', myAssociations)).data.map((each) => each.id)).to.deep.equal([id]);
      await harness.leave('guest', id);
      expect((await harness.as('guest', myAssociations)).data).to.deep.equal([]);

      const { next_cursor } = await harness.as('collector', myAssociations, { query: { limit: 1 } });
      const foreign = harness.as('host', myAssociations, { query: { limit: 1, cursor: next_cursor! } });
      expect(await outcomeOf(foreign)).to.equal('validation_failed');
    });
  });

  describe('members', () => {
    before(async () => {
      harness.association_id = (await harness.found('m0')).id;
      const secretary = await harness.join('m1');
      for (const user of ['m2', 'm3']) await harness.join(user);
      await harness.appoint(secretary.id, 'secretary');
      await harness.leave('m2');
    });
    const list = (user: string, query: object = {}) =>
      harness.as(user, listMembers, { ...harness.path(), query: { limit: 50, ...query } });
    const users = (members: Member[]) => members.map(({ user_id }) => user_id);

    it('are listed in join order, in pages', async () => {
      const { path } = harness.path();
      expect(users(await harness.pages<Member>('m0', listMembers, path, 3))).to.deep.equal(['m0', 'm1', 'm2', 'm3']);
      const { next_cursor: cursor } = await list('m0', { limit: 3 });
      expect(await outcomeOf(list('m0', { limit: 3, cursor, role: 'member' }))).to.equal('validation_failed');
    });

    for (const [filter, expected] of [
      [{ role: 'secretary' }, ['m1']],
      [{ status: 'left' }, ['m2']],
      [{ status: 'active' }, ['m0', 'm1', 'm3']],
      [{ role: 'member', status: 'active' }, ['m3']],
    ] as const) {
      it(`can be filtered by ${Object.entries(filter)
        .map((pair) => pair.join(' '))
        .join(' and ')}`, async () => {
        expect(users((await list('m3', filter)).data)).to.deep.equal(expected);
      });
    }

    for (const [viewer, expected] of [
      ['m0', ['m0', 'm1', 'm2', 'm3']],
      ['m1', ['m0', 'm1', 'm2', 'm3']],
      ['m3', ['m3']],
    ] as const) {
      it(`show all payout wallets to the board and other members only their own: ${viewer} sees ${expected.join(', ')}`, async () => {
        const { data } = await list(viewer);
        expect(users(data.filter((member) => 'payout_wallet_id' in member))).to.deep.equal(expected);
      });
    }

    it('are hidden from strangers and former members, even if the association is public', async () => {
      for (const user of ['stranger', 'm2']) expect(await outcomeOf(list(user))).to.equal('not_found');
    });
  });
});
