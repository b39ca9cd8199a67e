import { expect } from 'chai';
import {
  createAssociation,
  DEFAULT_RULES,
  getAssociation,
  listMembers,
  myAssociations,
} from '../../../lib/contracts/membership.ts';
import { NEW_ASSOCIATION, useMembership } from '../../harness/membership.ts';
import { outcomeOf, refusalOf } from '../../harness/refusal.ts';

describe('associations', () => {
  const bench = useMembership();

  describe('creating one', () => {
    it('makes the caller its president, publishes an event, and answers with its Location', async () => {
      const association = await bench.found('founder', { hands: 3, description: ' For stalls ' });
      expect(association).to.include({
        name: NEW_ASSOCIATION.name,
        description: 'For stalls',
        currency: 'XAF',
        contribution_amount: 10_000,
        member_count: 1,
        status: 'active',
        rules_version: 1,
      });
      expect(association.membership).to.include({ role: 'president', status: 'active', hands: 3 });
      expect(bench.headOf(association).location).to.equal(`/association-service/api/v1/associations/${association.id}`);
      const { name, type, currency, contribution_frequency } = NEW_ASSOCIATION;
      const { member_id } = association.membership!;
      expect(await bench.events(association.id)).to.deep.equal([
        { type: 'association.created', data: { name, type, currency, contribution_frequency } },
        { type: 'member.joined', data: { member_id, user_id: 'founder', role: 'president', rejoined: false } },
      ]);
    });

    it('sets defaults, and opens a payout wallet', async () => {
      const body = {
        name: 'Small',
        type: 'Solidarity',
        currency: 'eur',
        contribution_amount: 12.5,
        contribution_frequency: 'WEEKLY',
        rules: { approvals: { distribution: 5 } },
      };
      // As over HTTP: other letter cases, and defaults left out.
      const association = await bench.as('founder', createAssociation, { body: body as never });
      expect(association).to.include({ description: null, max_members: 100, is_public: false, currency: 'EUR' });
      expect(association).to.include({ type: 'solidarity', contribution_frequency: 'weekly' });
      expect(association.contribution_amount).to.equal(12.5);
      const rules = { ...DEFAULT_RULES, approvals: { ...DEFAULT_RULES.approvals, distribution: 5 } };
      expect(association.rules).to.deep.equal(rules);
      const { data } = await bench.as('founder', listMembers, { path: { association_id: association.id } });
      expect(data[0]).to.include({ payout_wallet_id: 'wallet-founder-EUR', display_name: 'Awa', hands: 1 });
    });

    it('refuses an amount that the currency does not have, and stores nothing', async () => {
      const before = await bench.sql('SELECT id FROM associations');
      const { code, extras } = await refusalOf(bench.found('founder', { contribution_amount: 0.5 }));
      expect(code).to.equal('amount_precision');
      expect((extras.errors as unknown[])[0]).to.include({ pointer: '/contribution_amount' });
      const tooLarge = await refusalOf(bench.found('founder', { contribution_amount: 1e14, currency: 'EUR' }));
      expect(tooLarge.code).to.equal('validation_failed');
      expect(await bench.sql('SELECT id FROM associations')).to.deep.equal(before);
    });
  });

  describe('reading one', () => {
    it('is for all users where it is public, and shows members their membership', async () => {
      const { id } = await bench.found('reader');
      const path = { association_id: id };
      expect((await bench.as('reader', getAssociation, { path })).membership).to.include({ role: 'president' });
      const seen = await bench.as('stranger', getAssociation, { path });
      expect(seen.id).to.equal(id);
      expect(seen).to.not.have.property('membership');
    });

    it('is for members only where it is private', async () => {
      const { id } = await bench.found('reader', { is_public: false });
      const path = { association_id: id };
      expect((await bench.as('reader', getAssociation, { path })).id).to.equal(id);
      expect(await outcomeOf(bench.as('stranger', getAssociation, { path }))).to.equal('not_found');
    });

    it('answers not_found for malformed and unknown ids', async () => {
      for (const association_id of ['nothing', bench.newId()]) {
        const attempt = bench.as('reader', getAssociation, { path: { association_id } });
        expect(await outcomeOf(attempt)).to.equal('not_found');
      }
    });
  });

  describe("one's own", () => {
    it('come newest membership first, page by page, each with the membership', async () => {
      const founded: string[] = [];
      for (let n = 0; n < 5; n += 1) founded.push((await bench.found('collector')).id);
      await bench.found('another user');
      const seen: string[] = [];
      let cursor: string | null = null;
      do {
        const query: { limit: number; cursor?: string } = cursor === null ? { limit: 2 } : { limit: 2, cursor };
        const page: { data: { id: string; membership?: unknown }[]; next_cursor: string | null } = await bench.as(
          'collector',
          myAssociations,
          { query },
        );
        for (const association of page.data) expect(association.membership).to.include({ role: 'president' });
        seen.push(...page.data.map((association) => association.id));
        cursor = page.next_cursor;
      } while (cursor !== null);
      expect(seen).to.deep.equal(founded.toReversed());
    });

    it("are not those that one has left, and another's cursor opens nothing", async () => {
      const { id } = await bench.found('host');
      await bench.join('guest', id);
      const [left] = (await bench.as('guest', myAssociations)).data;
      expect(left?.id).to.equal(id);
      await bench.sql(`UPDATE members SET status = 'left' WHERE user_id = 'guest'`);
      expect((await bench.as('guest', myAssociations)).data).to.deep.equal([]);

      const { next_cursor } = await bench.as('collector', myAssociations, { query: { limit: 1 } });
      const foreign = bench.as('host', myAssociations, { query: { limit: 1, cursor: next_cursor! } });
      expect(await outcomeOf(foreign)).to.equal('validation_failed');
    });
  });

  describe('the members of one', () => {
    let path: { association_id: string };
    before(async () => {
      path = { association_id: (await bench.found('m0')).id };
      for (const user of ['m1', 'm2', 'm3']) await bench.join(user, path.association_id);
      await bench.sql(
        `UPDATE members SET role = 'secretary' WHERE association_id = $1 AND user_id = 'm1'`,
        path.association_id,
      );
      await bench.sql(
        `UPDATE members SET status = 'left' WHERE association_id = $1 AND user_id = 'm2'`,
        path.association_id,
      );
    });
    const users = (page: { data: { user_id: string }[] }) => page.data.map((member) => member.user_id);

    it('come in the order in which they joined, page by page', async () => {
      const first = await bench.as('m0', listMembers, { path, query: { limit: 3 } });
      expect(users(first)).to.deep.equal(['m0', 'm1', 'm2']);
      const cursor = first.next_cursor!;
      const second = await bench.as('m0', listMembers, { path, query: { limit: 3, cursor } });
      expect(users(second)).to.deep.equal(['m3']);
      expect(second.next_cursor).to.equal(null);
      const otherFilter = bench.as('m0', listMembers, { path, query: { limit: 3, cursor, role: 'member' } });
      expect(await outcomeOf(otherFilter)).to.equal('validation_failed');
    });

    it('can be asked for by role and by status', async () => {
      const query = { limit: 50 };
      const by = async (filter: object) =>
        users(await bench.as('m3', listMembers, { path, query: { ...query, ...filter } }));
      expect(await by({ role: 'secretary' })).to.deep.equal(['m1']);
      expect(await by({ status: 'left' })).to.deep.equal(['m2']);
      expect(await by({ status: 'active' })).to.deep.equal(['m0', 'm1', 'm3']);
      expect(await by({ role: 'member', status: 'active' })).to.deep.equal(['m3']);
    });

    it('show their payout wallets to the board, and to each member their own', async () => {
      const shown = async (viewer: string) =>
        (await bench.as(viewer, listMembers, { path })).data
          .filter((member) => 'payout_wallet_id' in member)
          .map((member) => member.user_id);
      expect(await shown('m0')).to.deep.equal(['m0', 'm1', 'm2', 'm3']);
      expect(await shown('m1')).to.deep.equal(['m0', 'm1', 'm2', 'm3']);
      expect(await shown('m3')).to.deep.equal(['m3']);
    });

    it('are hidden from strangers and former members, also of a public one', async () => {
      for (const user of ['stranger', 'm2']) {
        expect(await outcomeOf(bench.as(user, listMembers, { path }))).to.equal('not_found');
      }
    });
  });
});
