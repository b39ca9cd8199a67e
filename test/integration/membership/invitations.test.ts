import { expect } from 'chai';
import { getInvitation, listInvitations, previewInvitation } from '../../../lib/contracts/membership.ts';
import { NEW_ASSOCIATION, useMembership } from '../../harness/membership.ts';
import { atOnce, outcomeOf, outcomesOf, refusalOf } from '../../harness/refusal.ts';

const HOUR_MS = 3_600_000;
const REQUIRED = { code: 'role_not_allowed', extras: { required_roles: ['president', 'secretary'] } };

describe('invitations', () => {
  const harness = useMembership();

  /** A private association with a member of each role, whose user has the name of the role. */
  beforeEach(async () => {
    const { id } = await harness.found('president', { is_public: false });
    harness.association_id = id;
    const { code } = await harness.invite('president', { max_uses: 10 });
    for (const role of ['secretary', 'treasurer', 'member']) {
      const { id: member_id } = await harness.accept(role, code);
      await harness.appoint(member_id, role);
    }
    await harness.sql('DELETE FROM invitations WHERE association_id = $1', id);
  });

  const list = (user: string, query: object = {}) =>
    harness.as(user, listInvitations, { ...harness.path(), query: query as never });
  const show = (user: string, invitation_id: string) =>
    harness.as(user, getInvitation, { path: { association_id: harness.association_id, invitation_id } });
  const preview = (user: string, code: string) => harness.as(user, previewInvitation, { path: { code } });

  describe('that are listed', () => {
    it('have no code, and come newest first, page by page, with those that are used up or expired', async () => {
      const codes: string[] = [];
      const made: object[] = [];
      for (let n = 0; n < 5; n += 1) {
        const { code, ...rest } = await harness.invite(n % 2 === 0 ? 'president' : 'secretary', {
          expires_in_hours: 1,
        });
        codes.push(code);
        made.unshift(rest);
      }
      await harness.accept('awa', codes[4]!);
      made[0] = { ...made[0], uses: 1 };
      harness.clock.offset_ms = 2 * HOUR_MS;
      for (const user of ['president', 'secretary']) {
        expect((await list(user)).data).to.deep.equal(made);
        const pages = await harness.pages(user, listInvitations, harness.path().path, 2);
        expect(pages).to.deep.equal(made);
      }
    });

    it('come in a definite order if they were created at the same instant', async () => {
      harness.clock.stopped_at = new Date();
      const made: string[] = [];
      for (let n = 0; n < 5; n += 1) made.unshift((await harness.invite('president')).id);
      const pages = await harness.pages<{ id: string }>('president', listInvitations, harness.path().path, 2);
      expect(pages.map(({ id }) => id)).to.deep.equal(made.toSorted().toReversed());
    });

    it('are those of the association only, and are shown to president and secretary, also if it is closed', async () => {
      const { id } = await harness.invite('president');
      const ours = harness.association_id;
      harness.association_id = (await harness.found('president')).id;
      await harness.invite('president');
      harness.association_id = ours;
      await harness.close();
      expect((await list('secretary')).data.map((each) => each.id)).to.deep.equal([id]);
      for (const user of ['treasurer', 'member']) expect(await refusalOf(list(user))).to.deep.equal(REQUIRED);
      expect(await outcomeOf(list('stranger'))).to.equal('not_found');
    });

    it('have cursors that are not valid in the list of another association', async () => {
      for (let n = 0; n < 2; n += 1) await harness.invite('president');
      const { next_cursor } = await list('president', { limit: 1 });
      harness.association_id = (await harness.found('president')).id;
      expect(await outcomeOf(list('president', { cursor: next_cursor }))).to.equal('validation_failed');
    });
  });

  describe('that are withdrawn', () => {
    it('are gone: they are not shown or listed, and cannot be used, shown by their code or withdrawn again', async () => {
      for (const user of ['president', 'secretary']) {
        const { id, code } = await harness.invite('president', { max_uses: 5 });
        await harness.accept(`guest of ${user}`, code);
        expect(await harness.withdraw(user, id)).to.deep.equal({});
        expect(await outcomeOf(show(user, id))).to.equal('not_found');
        expect((await list(user)).data).to.deep.equal([]);
        expect(await outcomeOf(harness.accept('awa', code))).to.equal('not_found');
        expect(await outcomeOf(preview('awa', code))).to.equal('not_found');
        expect(await outcomeOf(harness.withdraw(user, id))).to.equal('not_found');
      }
      const names = (await harness.members('president')).filter(({ status }) => status === 'active');
      expect(names.map(({ user_id }) => user_id)).to.include.members(['guest of president', 'guest of secretary']);
    });

    it('are withdrawn once by a request that is repeated with its key', async () => {
      const { id } = await harness.invite('president');
      await harness.withdraw('president', id, 'gone');
      const again = await harness.withdraw('president', id, 'gone');
      expect(harness.headOf(again)).to.include({ status: 204, replayed: true });
    });

    it('are refused to other roles and in a closed association, and are `not_found` elsewhere', async () => {
      const { id } = await harness.invite('president');
      for (const user of ['treasurer', 'member']) {
        expect(await refusalOf(harness.withdraw(user, id))).to.deep.equal(REQUIRED);
        expect(await outcomeOf(harness.withdraw(user, harness.newId())), 'before the role').to.equal('not_found');
      }
      expect(await outcomeOf(harness.withdraw('stranger', id))).to.equal('not_found');
      const ours = harness.association_id;
      harness.association_id = (await harness.found('president')).id;
      expect(await outcomeOf(harness.withdraw('president', id))).to.equal('not_found');
      harness.association_id = ours;
      await harness.close();
      expect(await outcomeOf(harness.withdraw('president', id))).to.equal('association_closed');
      expect(await refusalOf(harness.withdraw('member', id))).to.deep.equal(REQUIRED);
      expect((await show('president', id)).uses).to.equal(0);
    });

    it('admit nobody afterwards, however many accept them at the same time', async () => {
      // Any number of the 40 guests may be admitted, depending on who comes first.
      harness.association_id = (await harness.found('president', { max_members: 50 })).id;
      for (let round = 0; round < 5; round += 1) {
        const { id, code } = await harness.invite('president', { max_uses: 100 });
        const accepting = atOnce(4, (n) => harness.accept(`guest ${String(round)} ${String(n)}`, code));
        const withdrawing = atOnce(2, () => harness.withdraw('president', id));
        const later = atOnce(4, (n) => harness.accept(`late ${String(round)} ${String(n)}`, code));
        expect(await outcomesOf(withdrawing)).to.deep.equal(['done', 'not_found']);
        const outcomes = await outcomesOf([...accepting, ...later]);
        expect(outcomes.filter((outcome) => !['done', 'not_found'].includes(outcome))).to.deep.equal([]);
        const admitted = await harness.sql(
          `SELECT FROM members WHERE association_id = $1 AND user_id LIKE $2`,
          harness.association_id,
          `% ${String(round)} %`,
        );
        expect(admitted.length).to.equal(outcomes.filter((outcome) => outcome === 'done').length);
      }
    });

    it('do not admit a user whose request was accepted before, and waited for the withdrawal', async () => {
      const { id, code } = await harness.invite('president');
      let accepting: Promise<string> | undefined;
      await harness.inTransaction(async (client) => {
        await client.query('SELECT FROM associations WHERE id = $1 FOR UPDATE', [harness.association_id]);
        accepting = outcomeOf(harness.accept('awa', code));
        // As the withdrawal does under this lock.
        await client.query('DELETE FROM invitations WHERE id = $1', [id]);
      });
      expect(await accepting).to.equal('not_found');
    });
  });

  describe('that are shown by their code', () => {
    it('show every user what they would join', async () => {
      const { code, expires_at } = await harness.invite('secretary');
      const { name, type, currency, contribution_amount, contribution_frequency, max_members } = NEW_ASSOCIATION;
      for (const user of ['stranger', 'member']) {
        expect(await preview(user, code)).to.deep.equal({
          association_id: harness.association_id,
          name,
          description: null,
          type,
          currency,
          contribution_amount,
          contribution_frequency,
          member_count: 4,
          max_members,
          expires_at,
        });
      }
    });

    it('are `not_found` if they are unknown, used up or expired', async () => {
      expect(await outcomeOf(preview('awa', 'nothing'))).to.equal('not_found');
      const spent = await harness.invite('president');
      await harness.accept('awa', spent.code);
      expect(await outcomeOf(preview('binta', spent.code))).to.equal('not_found');
      const { code } = await harness.invite('president', { expires_in_hours: 1 });
      harness.clock.offset_ms = HOUR_MS - 1_000;
      expect((await preview('binta', code)).member_count).to.equal(5);
      harness.clock.offset_ms = HOUR_MS + 1_000;
      expect(await outcomeOf(preview('binta', code))).to.equal('not_found');
    });
  });
});
