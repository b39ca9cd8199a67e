import { expect } from 'chai';
import { bindCycle, board, leaveAssociation, releaseCycle, roster } from '../../../lib/contracts/membership.ts';
import { eventually } from '../../harness/eventually.ts';
import { useMembership } from '../../harness/membership.ts';
import { outcomeOf } from '../../harness/refusal.ts';

describe('what other services ask of an association', () => {
  const bench = useMembership();
  let association_id: string;
  beforeEach(async () => {
    bench.contribution.obligations.cycle_running = true;
    ({ id: association_id } = await bench.found('host', { hands: 2 }));
    await bench.join('awa', association_id, 3);
    await bench.join('binta', association_id);
  });

  const bind = (cycle_id: string) => bench.command(bindCycle, { association_id, cycle_id });
  const release = (cycle_id: string) => bench.command(releaseCycle, { association_id, cycle_id });
  const handsOf = ({ members }: { members: { user_id: string; hands: number }[] }) =>
    members.map(({ user_id, hands }) => [user_id, hands]);
  const ALL = [
    ['host', 2],
    ['awa', 3],
    ['binta', 1],
  ];

  describe('binding the members to a cycle', () => {
    it('gives the active members in joined order, with their hands and the terms', async () => {
      await bench.join('coumba', association_id);
      bench.contribution.obligations.cycle_running = false;
      await bench.as('coumba', leaveAssociation, { path: { association_id } });
      const bound = await bind(bench.newId());
      expect(handsOf(bound)).to.deep.equal(ALL);
      expect(bound.terms).to.include({ association_id, contribution_amount_minor: 10_000, currency: 'XAF' });
      expect(bound.members[1]).to.include({ role: 'member', status: 'active', payout_wallet_id: 'wallet-awa-XAF' });
    });

    it('gives the same members again when repeated, without who joined meanwhile', async () => {
      const cycle_id = bench.newId();
      const first = await bind(cycle_id);
      await bench.join('coumba', association_id);
      expect(await bind(cycle_id)).to.deep.equal(first);
    });

    it('is for one cycle at a time', async () => {
      await bind(bench.newId());
      expect(await outcomeOf(bind(bench.newId()))).to.equal('cycle_in_progress');
    });

    it('has one winner among cycles that begin at once', async () => {
      const outcomes = await Promise.allSettled(Array.from({ length: 6 }, () => bind(bench.newId())));
      expect(outcomes.filter((outcome) => outcome.status === 'fulfilled')).to.have.length(1);
    });

    it('takes over from a cycle that has completed, even before the event says so', async () => {
      await bind(bench.newId());
      bench.contribution.obligations.cycle_running = false;
      expect(handsOf(await bind(bench.newId()))).to.deep.equal(ALL);
    });

    it('is refused for a closed association and for one that does not exist', async () => {
      const nowhere = bench.command(bindCycle, { association_id: bench.newId(), cycle_id: bench.newId() });
      expect(await outcomeOf(nowhere)).to.equal('not_found');
      await bench.sql(`UPDATE associations SET status = 'closed' WHERE id = $1`, association_id);
      expect(await outcomeOf(bind(bench.newId()))).to.equal('association_closed');
    });
  });

  describe('releasing them', () => {
    it('makes way for the next cycle, and does nothing the second time', async () => {
      const cycle_id = bench.newId();
      await bind(cycle_id);
      await release(cycle_id);
      const next = bench.newId();
      await bind(next);
      await release(cycle_id);
      expect(await outcomeOf(bind(bench.newId()))).to.equal('cycle_in_progress');
    });

    it('stands even if it overtakes the binding', async () => {
      const cycle_id = bench.newId();
      await release(cycle_id);
      expect(await outcomeOf(bind(cycle_id))).to.equal('not_found');
      await bind(bench.newId());
    });

    it('and binding it at once end in no binding, or in one that this cycle alone had', async () => {
      for (let round = 0; round < 10; round += 1) {
        const cycle_id = bench.newId();
        const [bound] = await Promise.allSettled([bind(cycle_id), release(cycle_id)]);
        if (bound.status === 'rejected') expect(bound).to.have.nested.property('reason.type', 'not_found');
        const open = await bench.sql(
          'SELECT cycle_id FROM cycle_bindings WHERE association_id = $1 AND released_at IS NULL',
          association_id,
        );
        expect(open).to.deep.equal([]);
      }
    });

    it("leaves another association's cycle alone", async () => {
      const cycle_id = bench.newId();
      await bind(cycle_id);
      const { id: other } = await bench.found('host');
      await bench.command(releaseCycle, { association_id: other, cycle_id });
      expect(await outcomeOf(bind(bench.newId()))).to.equal('cycle_in_progress');
    });

    it('happens when the event says that the cycle has completed', async () => {
      const cycle_id = bench.newId();
      await bind(cycle_id);
      await bench.publish('contribution', association_id, 'cycle.completed', { cycle_id, number: 1 });
      await eventually(async () => {
        const rows = await bench.sql<{ released: boolean }>(
          'SELECT released_at IS NOT NULL AS released FROM cycle_bindings WHERE cycle_id = $1',
          cycle_id,
        );
        expect(rows).to.deep.equal([{ released: true }]);
      });
    });
  });

  it('knows the roster and the board', async () => {
    const { members } = await bench.command(roster, { association_id });
    expect(members.map((member) => member.user_id)).to.deep.equal(['host', 'awa', 'binta']);
    await bench.appoint(association_id, members[2]!.member_id, 'secretary');
    const { board: officers, terms } = await bench.command(board, { association_id });
    expect(officers.map(({ user_id, role }) => [user_id, role])).to.deep.equal([
      ['host', 'president'],
      ['binta', 'secretary'],
    ]);
    expect(terms.rules.approvals.distribution).to.equal(2);
    for (const contract of [roster, board]) {
      expect(await outcomeOf(bench.command(contract, { association_id: bench.newId() }))).to.equal('not_found');
    }
  });
});
