import { expect } from 'chai';
import type { EndpointInput } from '../../../lib/contracts/action.ts';
import { decideCash } from '../../../lib/contracts/contribution.ts';
import { requestApproval } from '../../../lib/contracts/governance.ts';
import * as contract from '../../../lib/contracts/treasury.ts';
import { problem } from '../../../lib/errors/problem.ts';
import { outcomeOf } from '../../harness/refusal.ts';
import { eventually } from '../../harness/eventually.ts';
import { useTreasury } from '../../harness/treasury.ts';

type Query = Partial<EndpointInput<typeof contract.listCashContributions>['query']>;

describe('treasury: recorded cash', () => {
  const treasury = useTreasury();
  const { newId } = treasury;

  const list = (query: Query = {}, user_id = treasury.group.m.user_id) =>
    treasury.as(user_id, contract.listCashContributions, { path: treasury.path(), query: { limit: 50, ...query } });
  const show = (cash_contribution_id: string, user_id = treasury.group.m.user_id) =>
    treasury.as(user_id, contract.getCashContribution, { path: { ...treasury.path(), cash_contribution_id } });
  const listedIds = async (query: Query = {}) => (await list(query)).data.map(({ id }) => id);

  it('is listed newest first, as it was answered, and by status and member', async () => {
    const { m, s } = treasury.group;
    const meeting_id = newId();
    expect(await list()).to.deep.equal({ data: [], next_cursor: null });
    const confirmed = await treasury.bringCash(1);
    const rejected = await treasury.recordCash({ amount: 2, member_id: s.member_id });
    await treasury.decide(rejected.id, 'expired');
    const pending = await treasury.recordCash({ amount: 3, meeting_id });
    const { data } = await list();
    expect(data.map(({ id, status }) => [id, status])).to.deep.equal([
      [pending.id, 'pending_approval'],
      [rejected.id, 'rejected'],
      [confirmed, 'confirmed'],
    ]);
    expect(data[0]).to.deep.equal(pending);
    expect(data[0]).to.include({ meeting_id, member_id: m.member_id, amount: 3 });
    expect(data[1]).to.deep.equal({ ...rejected, status: 'rejected' });
    for (const each of data) expect(await show(each.id)).to.deep.equal(each);

    for (const [query, ids] of [
      [{ status: 'pending_approval' }, [pending.id]],
      [{ member_id: m.member_id }, [pending.id, confirmed]],
      [{ member_id: m.member_id, status: 'confirmed' }, [confirmed]],
      [{ member_id: s.member_id, status: 'confirmed' }, []],
      [{ member_id: newId() }, []],
    ] as const) {
      expect(await listedIds(query), JSON.stringify(query)).to.deep.equal(ids);
    }
  });

  it('is listed in pages, each once while more is recorded, with cursors for one list', async () => {
    const { m, s } = treasury.group;
    const ids: string[] = [];
    for (const member_id of [m, s, m, s, m].map((each) => each.member_id)) {
      ids.unshift((await treasury.recordCash({ member_id })).id);
    }
    const seen: string[] = [];
    for (let cursor: string | null | undefined; cursor !== null;) {
      const page = await list({ limit: 2, ...(cursor === undefined ? {} : { cursor }) });
      seen.push(...page.data.map(({ id }) => id));
      cursor = page.next_cursor;
      await treasury.recordCash();
    }
    expect(seen).to.deep.equal(ids);

    const lists: Query[] = [{}, { status: 'pending_approval' }, { member_id: m.member_id }, { member_id: s.member_id }];
    for (const filters of lists) {
      const page = await list({ ...filters, limit: 1 });
      for (const others of lists) {
        const outcome = await outcomeOf(list({ ...others, limit: 1, cursor: page.next_cursor ?? '' }));
        expect(outcome).to.equal(others === filters ? 'done' : 'validation_failed');
      }
    }
  });

  it('is shown to members of the association only', async () => {
    const { id } = await treasury.recordCash();
    const home = treasury.group;
    for (const user_id of ['stranger', (await treasury.newGroup()).p.user_id]) {
      expect(await outcomeOf(list({}, user_id))).to.equal('not_found');
      expect(await outcomeOf(show(id, user_id))).to.equal('not_found');
    }
    const { p, m } = (treasury.group = await treasury.newGroup());
    expect(await outcomeOf(show(id, p.user_id))).to.equal('not_found');
    expect(await listedIds({ member_id: home.m.member_id })).to.deep.equal([]);
    for (const unknown of [newId(), 'no-id']) expect(await outcomeOf(show(unknown, m.user_id))).to.equal('not_found');
  });

  it('is not shown if its recording was refused before the board could decide', async () => {
    treasury.governance.next(requestApproval, problem('no_eligible_approver'));
    expect(await outcomeOf(treasury.recordCash())).to.equal('no_eligible_approver');
    treasury.governance.next(requestApproval, problem('no_eligible_approver'));
    // Its due is given back later.
    treasury.contribution.next(decideCash, 'unavailable', 'unavailable', 'unavailable');
    expect(await outcomeOf(treasury.recordCash({ meeting_id: newId() }))).to.equal('no_eligible_approver');
    const requests = await treasury.requests('cash_deposits');
    expect(requests.map(({ status }) => status)).to.deep.equal(['refused', 'withdrawing']);
    expect(await listedIds()).to.deep.equal([]);
    expect(await listedIds({ status: 'rejected' })).to.deep.equal([]);
    for (const { id } of requests) expect(await outcomeOf(show(id))).to.equal('not_found');
  });

  it('is shown once its approval is open, if the outcome was unknown until then', async () => {
    treasury.governance.next(requestApproval, 'answer_lost');
    expect(await outcomeOf(treasury.recordCash())).to.equal('outcome_unknown');
    await eventually(async () => expect(await listedIds({ status: 'pending_approval' })).to.have.length(1));
  });
});
