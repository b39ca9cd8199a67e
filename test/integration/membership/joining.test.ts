import { expect } from 'chai';
import { getInvitation } from '../../../lib/contracts/membership.ts';
import { useMembership } from '../../harness/membership.ts';
import { atOnce, outcomeOf, outcomesOf, refusalOf } from '../../harness/refusal.ts';

const HOUR_MS = 3_600_000;

describe('joining', () => {
  const harness = useMembership();

  /** Founds the association of a test. */
  const found = async (given: Parameters<typeof harness.found>[1] = {}) => {
    const { id } = await harness.found('host', given);
    harness.association_id = id;
    return id;
  };
  const foundPrivate = (max_members = 12) => found({ is_public: false, max_members });
  /** Creates an invitation by the host, and returns its code. */
  const invited = async (max_uses = 1, expires_in_hours = 168) =>
    (await harness.invite('host', { max_uses, expires_in_hours })).code;
  const count = async () => {
    const [row] = await harness.sql<{ member_count: number; active: number }>(
      `SELECT a.member_count, (SELECT count(*)::int FROM members m WHERE m.association_id = a.id
         AND m.status = 'active') AS active FROM associations a WHERE id = $1`,
      harness.association_id,
    );
    expect(row!.active).to.equal(row!.member_count);
    return row!.member_count;
  };
  /** Counts the successful attempts of concurrent ones; expects that all others are refused with this code. */
  const letIn = async (attempts: Promise<unknown>[], refusedWith: string) => {
    const outcomes = await outcomesOf(attempts);
    const refused = outcomes.filter((outcome) => outcome !== 'done');
    expect(new Set(refused)).to.deep.equal(new Set([refusedWith]));
    return outcomes.length - refused.length;
  };

  describe('a public association', () => {
    it('gets a new member with a payout wallet, and publishes an event', async () => {
      const id = await found();
      const member = await harness.join('awa', id, 2);
      expect(member).to.include({
        association_id: id,
        user_id: 'awa',
        display_name: 'Awa',
        role: 'member',
        status: 'active',
        hands: 2,
        payout_wallet_id: 'wallet-awa-XAF',
      });
      expect(harness.headOf(member).location).to.equal(`/association-service/api/v1/associations/${id}/members/me`);
      expect((await harness.events(id)).at(-1)).to.deep.equal({
        type: 'member.joined',
        data: { member_id: member.id, user_id: 'awa', role: 'member', rejoined: false },
      });
      expect(await count()).to.equal(2);
    });

    it('refuses active members, and all users once it is closed; an unknown association is `not_found`', async () => {
      await found();
      await harness.join('awa');
      expect(await outcomeOf(harness.join('awa'))).to.equal('already_member');
      await harness.close();
      expect(await outcomeOf(harness.join('awa'))).to.equal('already_member');
      expect(await outcomeOf(harness.join('binta'))).to.equal('association_closed');
      expect(await count()).to.equal(2);
      expect(await outcomeOf(harness.join('awa', 'nothing'))).to.equal('not_found');
    });

    it('admits a user once when they send concurrent requests', async () => {
      await found();
      expect(
        await letIn(
          atOnce(8, () => harness.join('impatient')),
          'already_member',
        ),
      ).to.equal(1);
      expect(await count()).to.equal(2);
    });

    it('is protected by the database against too many members and a second president', async () => {
      const id = await found({ max_members: 2 });
      const { id: member_id } = await harness.join('awa');
      const full = harness.sql('UPDATE associations SET member_count = 3 WHERE id = $1', id);
      expect(await outcomeOf(full)).to.equal('associations_capacity');
      const second = harness.sql(`UPDATE members SET role = 'president' WHERE id = $1`, member_id);
      expect(await outcomeOf(second)).to.equal('members_one_president');
    });
  });

  it('reactivates a former member, with the role member and a new join date', async () => {
    const id = await found();
    const before = await harness.join('awa', id, 2);
    await harness.appoint(before.id, 'treasurer');
    await harness.leave('awa');
    expect(await count()).to.equal(1);
    harness.clock.offset_ms = HOUR_MS;
    const again = await harness.join('awa', id, 3);
    expect(again).to.include({ id: before.id, role: 'member', status: 'active', hands: 3 });
    expect(Date.parse(again.joined_at)).to.be.above(Date.parse(before.joined_at));
    expect((await harness.events(id)).at(-1)).to.deep.equal({
      type: 'member.joined',
      data: { member_id: before.id, user_id: 'awa', role: 'member', rejoined: true },
    });
    expect(await count()).to.equal(2);
  });

  describe('with a display name', () => {
    it('prefers the one in the request to that of the token, and to that of an earlier membership', async () => {
      const id = await found();
      expect((await harness.join('awa', id)).display_name, 'of the token').to.equal('Awa');
      await harness.leave('awa');
      expect((await harness.join('awa', id, 1, { display_name: ' Awa Ngono ' })).display_name).to.equal('Awa Ngono');
      await harness.leave('awa');
      expect((await harness.join('awa', id)).display_name, 'of the earlier membership').to.equal('Awa Ngono');
    });

    it('prefers it for a user who joins by invitation, too', async () => {
      await foundPrivate();
      const code = await invited(2);
      expect((await harness.accept('awa', code, 1, undefined, { display_name: 'Awa N.' })).display_name).to.equal(
        'Awa N.',
      );
      await harness.leave('awa');
      expect((await harness.accept('awa', code, 1, undefined, { display_name: 'A. N.' })).display_name).to.equal(
        'A. N.',
      );
    });
  });

  describe('an invitation', () => {
    it('is required to join a private association', async () => {
      const id = await foundPrivate();
      expect(await outcomeOf(harness.join('awa'))).to.equal('not_found');
      const { code, max_uses, uses, ...times } = await harness.invite('host', { max_uses: 2, expires_in_hours: 24 });
      expect([max_uses, uses]).to.deep.equal([2, 0]);
      expect(Date.parse(times.expires_at) - Date.parse(times.created_at)).to.equal(24 * HOUR_MS);
      expect(await harness.accept('awa', code, 4)).to.include({ association_id: id, hands: 4, role: 'member' });
      expect(await count()).to.equal(2);
    });

    it('is shown without its code to members who can invite, even if it is used up or the association is closed', async () => {
      const association_id = await foundPrivate();
      const { code, ...rest } = await harness.invite('host');
      const show = (user: string, of: object = {}) =>
        harness.as(user, getInvitation, { path: { association_id, invitation_id: rest.id, ...of } });
      expect(await show('host')).to.deep.equal(rest);
      await harness.accept('awa', code);
      expect(await show('host')).to.deep.equal({ ...rest, uses: 1 });
      expect(await outcomeOf(show('awa'))).to.equal('role_not_allowed');
      expect(await outcomeOf(show('stranger'))).to.equal('not_found');
      const elsewhere = await harness.found('host');
      for (const other of [{ invitation_id: association_id }, { association_id: elsewhere.id }]) {
        expect(await outcomeOf(show('host', other))).to.equal('not_found');
      }
      await harness.close();
      expect((await show('host')).uses).to.equal(1);
    });

    it('has a code of at least 128 random bits, which is not stored', async () => {
      await foundPrivate();
      const code = await invited();
      expect(Buffer.from(code, 'base64url').length * 8).to.be.at.least(128);
      const rows = await harness.sql<{ text: string }>(
        `SELECT invitations::text AS text FROM invitations UNION ALL SELECT event::text FROM outbox`,
      );
      expect(rows.some(({ text }) => text.includes(code))).to.equal(false);
    });

    it('is `not_found` if it is unknown, used up or expired', async () => {
      await foundPrivate();
      expect(await outcomeOf(harness.accept('awa', 'nothing'))).to.equal('not_found');
      const spent = await invited();
      await harness.accept('awa', spent);
      expect(await outcomeOf(harness.accept('binta', spent))).to.equal('not_found');
      const short = await invited(5, 1);
      harness.clock.offset_ms = HOUR_MS - 1_000;
      await harness.accept('binta', short);
      harness.clock.offset_ms = HOUR_MS + 1_000;
      expect(await outcomeOf(harness.accept('coumba', short))).to.equal('not_found');
    });

    it('is not used up if the user is a member or the association is full or closed', async () => {
      await foundPrivate(2);
      const code = await invited();
      const another = await invited();
      expect(await outcomeOf(harness.accept('host', code))).to.equal('already_member');
      await harness.accept('awa', code);
      expect(await outcomeOf(harness.accept('binta', another))).to.equal('association_full');
      await harness.close();
      expect(await outcomeOf(harness.accept('binta', another))).to.equal('association_closed');
      const uses = await harness.sql(
        'SELECT uses FROM invitations WHERE association_id = $1 ORDER BY uses',
        harness.association_id,
      );
      expect(uses).to.deep.equal([{ uses: 0 }, { uses: 1 }]);
    });

    it('admits at most `max_uses` of the users who accept it concurrently', async () => {
      await foundPrivate();
      const code = await invited(3);
      expect(
        await letIn(
          atOnce(10, (n) => harness.accept(`guest${String(n)}`, code)),
          'not_found',
        ),
      ).to.equal(3);
      expect(await count()).to.equal(4);
    });

    it('admits only as many users as there are places when users accept and join concurrently', async () => {
      const id = await found({ max_members: 3 });
      const code = await invited(100);
      const accepts = atOnce(6, (n) => harness.accept(`a${String(n)}`, code));
      const joins = atOnce(6, (n) => harness.join(`b${String(n)}`));
      expect(await letIn([...accepts, ...joins], 'association_full')).to.equal(2);
      expect(await count()).to.equal(3);
      expect(await harness.events(id, 'member.joined')).to.have.length(3);
    });

    it('can be created only by president and secretary, in an association that is not closed', async () => {
      await found();
      for (const role of ['treasurer', 'secretary', 'member']) {
        const { id } = await harness.join(role);
        await harness.appoint(id, role);
      }
      await harness.invite('secretary');
      for (const user of ['treasurer', 'member']) {
        expect(await refusalOf(harness.invite(user))).to.deep.equal({
          code: 'role_not_allowed',
          extras: { required_roles: ['president', 'secretary'] },
        });
      }
      expect(await outcomeOf(harness.invite('stranger'))).to.equal('not_found');
      await harness.close();
      expect(await outcomeOf(harness.invite('host'))).to.equal('association_closed');
      expect(await outcomeOf(harness.invite('member'))).to.equal('role_not_allowed');
    });
  });
});
