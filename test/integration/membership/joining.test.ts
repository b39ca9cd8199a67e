import { expect } from 'chai';
import {
  acceptInvitation,
  createInvitation,
  getInvitation,
  getAssociation,
  leaveAssociation,
} from '../../../lib/contracts/membership.ts';
import { useMembership } from '../../harness/membership.ts';
import { outcomeOf, refusalOf } from '../../harness/refusal.ts';

const HOUR_MS = 3_600_000;
const people = (count: number, prefix: string) => Array.from({ length: count }, (_, n) => `${prefix}${String(n)}`);

describe('joining', () => {
  const bench = useMembership();

  const invite = (user_id: string, association_id: string, max_uses = 1, expires_in_hours = 168) =>
    bench.as(user_id, createInvitation, { path: { association_id }, body: { max_uses, expires_in_hours } });
  const accept = (user_id: string, code: string, hands = 1) =>
    bench.as(user_id, acceptInvitation, { path: { code }, body: { hands } });
  const countOf = async (association_id: string) => {
    const [row] = await bench.sql<{ member_count: number; active: number }>(
      `SELECT a.member_count, (SELECT count(*)::int FROM members m WHERE m.association_id = a.id
         AND m.status = 'active') AS active FROM associations a WHERE id = $1`,
      association_id,
    );
    expect(row!.active).to.equal(row!.member_count);
    return row!.member_count;
  };
  const close = (id: string) => bench.sql(`UPDATE associations SET status = 'closed' WHERE id = $1`, id);

  describe('a public association', () => {
    it('makes a member, with a wallet for payouts, and tells the event stream', async () => {
      const { id } = await bench.found('host');
      const member = await bench.join('awa', id, 2);
      expect(member).to.include({
        association_id: id,
        user_id: 'awa',
        display_name: 'Awa',
        role: 'member',
        status: 'active',
        hands: 2,
        payout_wallet_id: 'wallet-awa-XAF',
      });
      expect(bench.headOf(member).location).to.equal(`/association-service/api/v1/associations/${id}/members/me`);
      expect((await bench.events(id)).at(-1)).to.deep.equal({
        type: 'member.joined',
        data: { member_id: member.id, user_id: 'awa', role: 'member', rejoined: false },
      });
      expect(await countOf(id)).to.equal(2);
    });

    it('refuses active members, and all users once it is closed', async () => {
      const { id } = await bench.found('host');
      await bench.join('awa', id);
      expect(await outcomeOf(bench.join('awa', id))).to.equal('already_member');
      await close(id);
      expect(await outcomeOf(bench.join('awa', id))).to.equal('already_member');
      expect(await outcomeOf(bench.join('binta', id))).to.equal('association_closed');
      expect(await countOf(id)).to.equal(2);
    });

    it('gives 4 free places to exactly 4 of 12 who join at once', async () => {
      const { id } = await bench.found('host', { max_members: 5 });
      const outcomes = await Promise.allSettled(people(12, 'rush').map((user) => bench.join(user, id)));
      const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
      expect(outcomes.length - refused.length).to.equal(4);
      for (const { reason } of refused) expect(reason).to.have.property('type', 'association_full');
      expect(await countOf(id)).to.equal(5);
      expect((await bench.events(id)).filter((event) => event.type === 'member.joined')).to.have.length(5);
      expect(await outcomeOf(bench.join('late', id))).to.equal('association_full');
    });

    it('takes a user who joins many times at once in once', async () => {
      const { id } = await bench.found('host');
      const outcomes = await Promise.allSettled(people(8, '').map(() => bench.join('impatient', id)));
      expect(outcomes.filter((outcome) => outcome.status === 'fulfilled')).to.have.length(1);
      expect(await countOf(id)).to.equal(2);
    });

    it('has a second line in the database against too many members and a second president', async () => {
      const { id } = await bench.found('host', { max_members: 2 });
      const messageOf = (statement: Promise<unknown>) =>
        statement.then(
          () => 'it may',
          (error: Error) => error.message,
        );
      const full = bench.sql('UPDATE associations SET member_count = 3 WHERE id = $1', id);
      expect(await messageOf(full)).to.contain('associations_capacity');
      const { id: other } = await bench.join('awa', id);
      const second = bench.sql(`UPDATE members SET role = 'president' WHERE id = $1`, other);
      expect(await messageOf(second)).to.contain('members_one_president');
    });
  });

  describe('coming back', () => {
    it('reactivates the same member, with the plain role and a new place in the order', async () => {
      const { id } = await bench.found('host');
      const before = await bench.join('awa', id, 2);
      await bench.appoint(id, before.id, 'treasurer');
      await bench.as('awa', leaveAssociation, { path: { association_id: id } });
      expect(await countOf(id)).to.equal(1);
      bench.clock.offset_ms = HOUR_MS;
      const again = await bench.join('awa', id, 3);
      expect(again).to.include({ id: before.id, role: 'member', status: 'active', hands: 3 });
      expect(Date.parse(again.joined_at)).to.be.above(Date.parse(before.joined_at));
      expect((await bench.events(id)).at(-1)).to.deep.include({
        type: 'member.joined',
        data: { member_id: before.id, user_id: 'awa', role: 'member', rejoined: true },
      });
      expect(await countOf(id)).to.equal(2);
    });

    it('is by invitation only for a member who was expelled', async () => {
      const { id } = await bench.found('host');
      const { id: member_id } = await bench.join('awa', id);
      await bench.sql(`UPDATE members SET status = 'expelled' WHERE id = $1`, member_id);
      await bench.sql(`UPDATE associations SET member_count = 1 WHERE id = $1`, id);
      expect(await outcomeOf(bench.join('awa', id))).to.equal('not_found');
      const { code } = await invite('host', id);
      expect((await accept('awa', code)).id).to.equal(member_id);
    });
  });

  describe('an invitation', () => {
    it('opens a private association, which has no other door', async () => {
      const { id } = await bench.found('host', { is_public: false });
      expect(await outcomeOf(bench.join('awa', id))).to.equal('not_found');
      const invitation = await invite('host', id, 2, 24);
      expect(invitation).to.include({ max_uses: 2, uses: 0 });
      expect(Date.parse(invitation.expires_at) - Date.parse(invitation.created_at)).to.equal(24 * HOUR_MS);
      const member = await accept('awa', invitation.code, 4);
      expect(member).to.include({ association_id: id, hands: 4, role: 'member' });
      expect(await countOf(id)).to.equal(2);
    });

    it('is shown without its code to those who may invite, also once it is used up', async () => {
      const { id } = await bench.found('host', { is_public: false });
      const { code, ...rest } = await invite('host', id);
      const path = { association_id: id, invitation_id: rest.id };
      const show = (who: string, of = path) => bench.as(who, getInvitation, { path: of });
      expect(await show('host')).to.deep.equal(rest);
      await accept('awa', code);
      expect(await show('host')).to.deep.equal({ ...rest, uses: 1 });
      expect(await outcomeOf(show('awa'))).to.equal('role_not_allowed');
      expect(await outcomeOf(show('stranger'))).to.equal('not_found');
      expect(await outcomeOf(show('host', { ...path, invitation_id: id }))).to.equal('not_found');
      const elsewhere = await bench.found('host');
      expect(await outcomeOf(show('host', { ...path, association_id: elsewhere.id }))).to.equal('not_found');
      await bench.sql(`UPDATE associations SET status = 'closed' WHERE id = $1`, id);
      expect((await show('host')).uses).to.equal(1);
    });

    it('has a code that cannot be guessed and is kept nowhere', async () => {
      const { id } = await bench.found('host', { is_public: false });
      const { code } = await invite('host', id);
      expect(Buffer.from(code, 'base64url').length * 8).to.be.at.least(128);
      const rows = await bench.sql<{ text: string }>(
        `SELECT invitations::text AS text FROM invitations UNION ALL SELECT event::text FROM outbox`,
      );
      expect(rows.some(({ text }) => text.includes(code))).to.equal(false);
    });

    it('is not found when unknown, spent or expired', async () => {
      const { id } = await bench.found('host', { is_public: false });
      expect(await outcomeOf(accept('awa', 'nothing'))).to.equal('not_found');
      const spent = await invite('host', id);
      await accept('awa', spent.code);
      expect(await outcomeOf(accept('binta', spent.code))).to.equal('not_found');
      const short = await invite('host', id, 5, 1);
      bench.clock.offset_ms = HOUR_MS - 1_000;
      await accept('binta', short.code);
      bench.clock.offset_ms = HOUR_MS + 1_000;
      expect(await outcomeOf(accept('coumba', short.code))).to.equal('not_found');
    });

    it('is not used up by an active member, nor by a full or closed association', async () => {
      const { id } = await bench.found('host', { is_public: false, max_members: 2 });
      const { code } = await invite('host', id);
      expect(await outcomeOf(accept('host', code))).to.equal('already_member');
      await bench.sql(`UPDATE associations SET status = 'closed' WHERE id = $1`, id);
      expect(await outcomeOf(accept('awa', code))).to.equal('association_closed');
      await bench.sql(`UPDATE associations SET status = 'active' WHERE id = $1`, id);
      await accept('awa', code);
      const another = await invite('host', id);
      expect(await outcomeOf(accept('binta', another.code))).to.equal('association_full');
      const [row] = await bench.sql('SELECT uses FROM invitations WHERE id = $1', another.id);
      expect(row).to.deep.equal({ uses: 0 });
    });

    it('lets in as many as it says of all who accept it at once', async () => {
      const { id } = await bench.found('host', { is_public: false });
      const { code } = await invite('host', id, 3);
      const outcomes = await Promise.allSettled(people(10, 'guest').map((user) => accept(user, code)));
      const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
      expect(refused).to.have.length(7);
      for (const { reason } of refused) expect(reason).to.have.property('type', 'not_found');
      expect(await countOf(id)).to.equal(4);
    });

    it('keeps to the places that are left, however many codes are accepted at once', async () => {
      const { id } = await bench.found('host', { max_members: 3 });
      const { code } = await invite('host', id, 100);
      const attempts = people(6, 'a').map((user) => accept(user, code));
      const joins = people(6, 'b').map((user) => bench.join(user, id));
      const outcomes = await Promise.allSettled([...attempts, ...joins]);
      expect(outcomes.filter((outcome) => outcome.status === 'fulfilled')).to.have.length(2);
      expect(await countOf(id)).to.equal(3);
    });

    it('is made by president and secretary, in an association that is not closed', async () => {
      const { id } = await bench.found('host');
      const { id: treasurer } = await bench.join('treasurer', id);
      const { id: secretary } = await bench.join('secretary', id);
      await bench.join('plain', id);
      await bench.appoint(id, treasurer, 'treasurer');
      await bench.appoint(id, secretary, 'secretary');
      await invite('secretary', id);
      for (const user of ['treasurer', 'plain']) {
        expect(await refusalOf(invite(user, id))).to.deep.equal({
          code: 'role_not_allowed',
          extras: { required_roles: ['president', 'secretary'] },
        });
      }
      expect(await outcomeOf(invite('stranger', id))).to.equal('not_found');
      await close(id);
      expect(await outcomeOf(invite('host', id))).to.equal('association_closed');
      expect(await outcomeOf(invite('plain', id))).to.equal('role_not_allowed');
    });
  });

  it('leaves an association that does not exist alone', async () => {
    expect(await outcomeOf(bench.join('awa', 'nothing'))).to.equal('not_found');
    const { id } = await bench.found('host');
    await bench.as('awa', getAssociation, { path: { association_id: id } });
  });
});
