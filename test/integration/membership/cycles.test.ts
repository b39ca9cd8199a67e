import { expect } from 'chai';
import { bindCycle, board, roster } from '../../../lib/contracts/membership.ts';
import { eventually } from '../../harness/eventually.ts';
import { useAssociation } from '../../harness/membership.ts';
import { atOnce, outcomeOf, outcomesOf } from '../../harness/refusal.ts';

describe('commands of other services to membership', () => {
  const harness = useAssociation();
  beforeEach(async () => {
    harness.contribution.obligations.cycle_running = true;
    await harness.join('binta');
  });

  const bind = (cycle_id?: string) => harness.bindCycle(cycle_id);

  describe('binding members to a cycle', () => {
    it('returns the active members in join order, with their hands and the terms', async () => {
      await harness.change('awa', { hands: 3 });
      await harness.join('coumba');
      harness.contribution.obligations.cycle_running = false;
      await harness.leave('coumba');
      const { members, terms } = await bind();
      expect(members.map(({ user_id, hands }) => [user_id, hands])).to.deep.equal([
        ['host', 1],
        ['awa', 3],
        ['binta', 1],
      ]);
      const { association_id } = harness;
      expect(terms).to.include({ association_id, contribution_amount_minor: 10_000, currency: 'XAF' });
      expect(members[1]).to.include({ role: 'member', status: 'active', payout_wallet_id: 'wallet-awa-XAF' });
    });

    it('returns the same members when it is repeated, without members who have joined since then', async () => {
      const cycle_id = harness.newId();
      const first = await bind(cycle_id);
      await harness.join('coumba');
      expect(await bind(cycle_id)).to.deep.equal(first);
    });

    it('succeeds for only one of several concurrent cycles', async () => {
      const outcomes = await outcomesOf(atOnce(6, () => bind()));
      expect(outcomes).to.deep.equal([...Array<string>(5).fill('cycle_in_progress'), 'done']);
    });

    it('replaces the binding of a completed cycle, even before the event of its completion arrives', async () => {
      await bind();
      harness.contribution.obligations.cycle_running = false;
      expect((await bind()).members).to.have.length(3);
    });

    it('is refused for a closed association and for an unknown association', async () => {
      const nowhere = { association_id: harness.newId(), cycle_id: harness.newId() };
      expect(await outcomeOf(harness.command(bindCycle, nowhere))).to.equal('not_found');
      await harness.close();
      expect(await outcomeOf(bind())).to.equal('association_closed');
    });
  });

  describe('releasing members from a cycle', () => {
    let cycle_id: string;
    beforeEach(() => {
      cycle_id = harness.newId();
    });
    const bindings = () =>
      harness.sql(
        'SELECT cycle_id FROM cycle_bindings WHERE association_id = $1 AND released_at IS NULL',
        harness.association_id,
      );

    it('allows the next cycle, and has no effect when it is repeated', async () => {
      await bind(cycle_id);
      await harness.releaseCycle(cycle_id);
      await bind();
      await harness.releaseCycle(cycle_id);
      expect(await outcomeOf(bind())).to.equal('cycle_in_progress');
    });

    it('is final even if it arrives before the binding', async () => {
      await harness.releaseCycle(cycle_id);
      expect(await outcomeOf(bind(cycle_id))).to.equal('not_found');
      await bind();
    });

    it('leaves no binding when it is concurrent with the binding', async () => {
      for (let round = 0; round < 10; round += 1) {
        const raced = harness.newId();
        const [bound] = await Promise.all([outcomeOf(bind(raced)), harness.releaseCycle(raced)]);
        expect(bound).to.be.oneOf(['done', 'not_found']);
        expect(await bindings()).to.deep.equal([]);
      }
    });

    it('does not affect the cycle of another association', async () => {
      await bind(cycle_id);
      await harness.releaseCycle(cycle_id, (await harness.found('host')).id);
      expect(await bindings()).to.deep.equal([{ cycle_id }]);
    });

    it('happens when the event of the completed cycle arrives', async () => {
      await bind(cycle_id);
      await harness.publish('contribution', harness.association_id, 'cycle.completed', { cycle_id, number: 1 });
      await eventually(async () => expect(await bindings()).to.deep.equal([]));
    });
  });

  it('read the roster and the board', async () => {
    const { association_id } = harness;
    const { members } = await harness.command(roster, { association_id });
    expect(members.map((member) => member.user_id)).to.deep.equal(['host', 'awa', 'binta']);
    await harness.appoint(members[2]!.member_id, 'secretary');
    const { board: officers, terms } = await harness.command(board, { association_id });
    expect(officers.map(({ user_id, role }) => [user_id, role])).to.deep.equal([
      ['host', 'president'],
      ['binta', 'secretary'],
    ]);
    expect(terms.rules.approvals.distribution).to.equal(2);
    for (const contract of [roster, board]) {
      expect(await outcomeOf(harness.command(contract, { association_id: harness.newId() }))).to.equal('not_found');
    }
  });
});
