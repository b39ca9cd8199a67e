import { expect } from 'chai';
import * as contract from '../../../lib/contracts/treasury.ts';
import type { TransferRecord } from '../../../lib/contracts/treasury.ts';
import { isExternal } from '../../../services/treasury/ledger/chain.rules.ts';
import { ENTRIES_READ_MAX } from '../../../services/treasury/ledger/transfer-lists.store.ts';
import { createRandom } from '../../harness/random.ts';
import { outcomeOf } from '../../harness/refusal.ts';
import { legs, useTreasury } from '../../harness/treasury.ts';

type Filters = Partial<Record<'kind' | 'account' | 'member_id' | 'from' | 'to', string>>;

const FUND = { scopes: ['wallets:fund'] };
/** What the check of an action's input throws, which the gateway answers with validation_failed. */
const INVALID = 'VALIDATION_ERROR';

describe('treasury: lists of transfers', () => {
  const treasury = useTreasury();
  const { newId } = treasury;
  const meeting_id = newId();

  const at = (instant: string) => (treasury.clock.stopped_at = new Date(instant));
  const salary = (amount = 10_000) => treasury.deposit(treasury.group.m.payout_wallet_id ?? '', amount);
  /** Posts a payment of 1 by the member to the treasury, unless other values are given. */
  const post = (given: Parameters<typeof treasury.transfer>[0] = {}) =>
    treasury.transfer({ ...legs(treasury.wallet(), 'treasury', 1), ...given });
  const ledger = (query: object = {}, user_id = treasury.group.m.user_id) =>
    treasury.as(user_id, contract.ledger, { path: treasury.path(), query: { limit: 50, ...query } });
  const idsOf = (transfers: { id: string }[]) => transfers.map(({ id }) => id);
  const ledgerIds = async (query: object) => idsOf((await ledger(query)).data);
  const walletList = (query: object = {}, user_id = treasury.group.m.user_id, options = {}) => {
    const path = { wallet_id: treasury.group.m.payout_wallet_id! };
    return treasury.as(user_id, contract.listWalletTransfers, { path, query: { limit: 50, ...query } }, options);
  };

  /** Inserts copies of a transfer before it, with the same entries, because posting so many would take too long. */
  async function repeat(id: string, times: number): Promise<void> {
    await treasury.sql(
      `WITH moved AS (SELECT account_id FROM entries WHERE transfer_id = $1), shifted AS (
         UPDATE accounts SET entry_count = entry_count + $2 FROM moved WHERE accounts.account_id = moved.account_id
       ), copies AS (
         INSERT INTO transfers (id, chain_id, seq, association_id, kind, legs, currency, posted_at, prev_hash, hash,
                                request_hash)
         SELECT gen_random_uuid(), chain_id, seq + n, association_id, kind, legs, currency, posted_at, prev_hash, hash,
                request_hash
         FROM transfers, generate_series(1, $2::int) AS n WHERE id = $1 RETURNING id, seq)
       INSERT INTO entries (account_id, entry_no, transfer_id, amount, balance_after)
       SELECT account_id, entry_no + copies.seq - transfers.seq, copies.id, amount, balance_after
       FROM entries JOIN transfers ON transfers.id = transfer_id, copies WHERE transfer_id = $1`,
      id,
      times,
    );
  }

  describe('of an association', () => {
    it('are selected by kind', async () => {
      await salary();
      const first = await post();
      await post({ kind: 'settlement' });
      const last = await post();
      expect(await ledgerIds({ kind: 'contribution' })).to.deep.equal([last.id, first.id]);
      expect(await ledgerIds({ kind: 'Settlement' })).to.have.length(1);
      expect(await ledgerIds({ kind: 'meeting_refund' })).to.deep.equal([]);
      expect((await ledger({ kind: 'contribution' })).data).to.deep.equal([last, first]);
      expect(await outcomeOf(ledger({ kind: 'gift' }))).to.equal(INVALID);
    });

    it('are selected by days, whose ends are included, and by instants, which are included', async () => {
      await salary();
      const ids: string[] = [];
      for (const instant of ['2026-01-31T23:59:59.999Z', '2026-02-01T00:00:00.000Z', '2026-02-28T23:59:59.999Z']) {
        at(instant);
        ids.unshift((await post()).id);
      }
      const [february, begin, january] = ids;
      for (const [query, expected] of [
        [{ from: '2026-02-01' }, [february, begin]],
        [{ to: '2026-01-31' }, [january]],
        [{ from: '2026-02-01', to: '2026-02-28' }, [february, begin]],
        [{ from: '2026-01-31', to: '2026-02-01' }, [begin, january]],
        [{ from: '2026-02-01T00:00:00Z' }, [february, begin]],
        [{ from: '2026-02-01T00:00:00.001Z' }, [february]],
        [{ to: '2026-02-01T01:00:00+01:00' }, [begin, january]],
        [{ to: '2026-01-31T18:59:59.999999-05:00' }, [january]],
        [{ from: '2026-02-02', to: '2026-02-27' }, []],
        [{ from: '2026-03-01', to: '2026-01-01' }, []],
      ] as const) {
        expect(await ledgerIds(query), JSON.stringify(query)).to.deep.equal(expected);
      }
      for (const query of [{ from: '2026-02-30' }, { to: 'yesterday' }, { from: '2026-02-01T00:00:00' }]) {
        expect(await outcomeOf(ledger(query))).to.equal(INVALID);
      }
    });

    it('are selected by the exact name of an account, each once', async () => {
      await salary();
      const paid = await post(legs(treasury.wallet(), `pool:${meeting_id}`, 5));
      const settled = await post({
        kind: 'settlement',
        legs: [
          { account: `pool:${meeting_id}`, amount_minor: -2 },
          { account: treasury.wallet(), amount_minor: 1 },
          { account: `pool:${meeting_id}`, amount_minor: -3 },
          { account: treasury.wallet(), amount_minor: 4 },
        ],
      });
      for (const account of [`pool:${meeting_id}`, treasury.wallet()]) {
        expect(await ledgerIds({ account }), account).to.deep.equal([settled.id, paid.id]);
        expect(await ledgerIds({ account, limit: 1 }), account).to.deep.equal([settled.id]);
        const paged = await treasury.listed<TransferRecord>(contract.ledger, 1, { account });
        expect(idsOf(paged), account).to.deep.equal([settled.id, paid.id]);
      }
    });

    it('do not exist for accounts and members that the association does not have', async () => {
      await salary();
      await post();
      const home = treasury.group;
      treasury.group = await treasury.newGroup();
      const wallet_id = await treasury.fundedWallet(treasury.group.m.user_id, 10);
      const foreign = await treasury.transfer({ ...legs(`wallet:${wallet_id}`, `pool:${meeting_id}`, 1) });
      expect(await ledgerIds({ account: `pool:${meeting_id}` })).to.deep.equal([foreign.id]);
      const stranger = treasury.group.m.member_id;
      treasury.group = home;
      for (const account of [
        ...[`pool:${meeting_id}`, `wallet:${wallet_id}`, 'Treasury', 'treasury ', 'reserved', 'funding', ''],
        ...['pool:', 'wallet:', 'wallet:\u0000', 'pool:\u0000', '\u0000', `${home.id}/treasury`, "'", '%'],
      ]) {
        expect(await ledgerIds({ account }), JSON.stringify(account)).to.deep.equal([]);
        expect(await ledgerIds({ account, member_id: home.m.member_id, kind: 'contribution' })).to.deep.equal([]);
      }
      for (const member_id of [stranger, newId(), 'nobody']) {
        expect(await ledgerIds({ member_id })).to.deep.equal([]);
      }
      expect(await outcomeOf(ledger({ account: 'a'.repeat(201) }))).to.equal(INVALID);
    });

    it('are those of the export that fulfil all filters, whatever the order of their times', async () => {
      const seed = Date.now() % 2 ** 31;
      const { members, transfers } = await postAtRandom(seed);
      const { m, s } = treasury.group;
      const days = ['2026-05-01', '2026-05-02', '2026-05-02T12:00:00Z', '2026-05-03'];
      const combinations: Filters[] = [undefined, 'contribution', 'settlement', 'distribution_release']
        .flatMap((kind) =>
          [undefined, 'treasury', 'cash_funding', `pool:${meeting_id}`, treasury.wallet()].map((account) => ({
            kind,
            account,
          })),
        )
        .flatMap((filters) => [undefined, m.member_id, s.member_id].map((member_id) => ({ ...filters, member_id })))
        .flatMap((filters) => [undefined, ...days].map((from) => ({ ...filters, from })))
        .map((filters, index) => ({ ...filters, to: [undefined, ...days][index % (days.length + 2)] }))
        .map((filters) => Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined)));
      for (const filters of combinations) {
        const listed = await treasury.listed<TransferRecord>(contract.ledger, 7, filters);
        const what = `seed ${String(seed)}, ${JSON.stringify(filters)}`;
        expect(listed, what).to.deep.equal(newestFirst(transfers.filter(fulfilling(filters, members)), filters));
      }
    });

    for (const filters of [
      { kind: 'contribution' },
      { from: '2026-01-01' },
      { account: 'treasury' },
      'member',
    ] as const) {
      it(`are each listed once while others are posted: ${JSON.stringify(filters)}`, async () => {
        await salary();
        const query = filters === 'member' ? { member_id: treasury.group.m.member_id } : filters;
        const before: string[] = [];
        for (let count = 0; count < 7; count += 1) before.unshift((await post()).id);
        const seen: string[] = [];
        for (let cursor: string | null | undefined; cursor !== null;) {
          const page = await ledger({ ...query, limit: 2, ...(cursor === undefined ? {} : { cursor }) });
          seen.push(...idsOf(page.data));
          cursor = page.next_cursor;
          await post();
        }
        expect(seen).to.deep.equal(before);
      });
    }

    it('have cursors that are valid only with the same filters', async () => {
      await salary();
      for (let count = 0; count < 3; count += 1) await post();
      const lists: Filters[] = [
        {},
        { kind: 'contribution' },
        { account: 'treasury' },
        { member_id: treasury.group.m.member_id },
        { from: '2026-01-01' },
        { to: '2099-01-01' },
      ];
      for (const filters of lists) {
        const { next_cursor: cursor } = await ledger({ ...filters, limit: 1 });
        for (const others of lists) {
          const outcome = await outcomeOf(ledger({ ...others, limit: 1, cursor }));
          expect(outcome).to.equal(others === filters ? 'done' : 'validation_failed');
        }
      }
    });

    it('are looked for among a limited number of entries for each page', async () => {
      await salary();
      const oldest = await post({ kind: 'distribution_release' });
      await repeat((await post()).id, 2 * ENTRIES_READ_MAX);
      const query = { account: 'treasury', kind: 'distribution_release' };
      const pages: string[][] = [];
      for (let cursor: string | null | undefined; cursor !== null;) {
        const page = await ledger({ ...query, limit: 10, ...(cursor === undefined ? {} : { cursor }) });
        pages.push(idsOf(page.data));
        cursor = page.next_cursor;
      }
      expect(pages).to.deep.equal([[], [], [oldest.id]]);
      const all = await treasury.listed<TransferRecord>(contract.ledger, 200, { account: 'treasury' });
      expect(new Set(idsOf(all)).size).to.equal(2 * ENTRIES_READ_MAX + 2);
    });
  });

  describe('of a wallet', () => {
    it('are those that moved its money, in any association or in none, each once', async () => {
      const deposit = await salary();
      const paid = await post();
      const elsewhere = await treasury.newGroup();
      const other = await post({ association_id: elsewhere.id });
      await treasury.bringCash(10);
      const both = await post({
        legs: [
          { account: treasury.wallet(), amount_minor: -1 },
          { account: 'treasury', amount_minor: 3 },
          { account: treasury.wallet(), amount_minor: -2 },
        ],
      });
      const withdrawal = await treasury.withdraw(treasury.group.m.payout_wallet_id!, 5);
      const all = [withdrawal, both, other, paid, deposit];
      expect(await walletList()).to.deep.equal({ data: all, next_cursor: null });
      const path = { wallet_id: treasury.group.m.payout_wallet_id! };
      const { user_id } = treasury.group.m;
      expect(await treasury.pages(user_id, contract.listWalletTransfers, path, 1)).to.deep.equal(all);
      expect((await walletList({ kind: 'contribution' })).data).to.deep.equal([both, other, paid]);
      expect((await walletList({ kind: 'wallet_withdrawal' })).data).to.deep.equal([withdrawal]);
      expect((await walletList({ kind: 'meeting_refund' })).data).to.deep.equal([]);
      expect(await outcomeOf(walletList({ account: 'treasury' }))).to.equal(INVALID);
    });

    it('are selected by days in UTC and by instants, with a kind too', async () => {
      at('2026-02-01T00:00:00.000Z');
      const deposit = await salary();
      at('2026-02-01T23:59:59.999Z');
      const paid = await post();
      for (const [query, expected] of [
        [{ from: '2026-02-01', to: '2026-02-01' }, [paid, deposit]],
        [{ to: '2026-02-01T12:00:00Z' }, [deposit]],
        [{ from: '2026-02-01T12:00:00Z' }, [paid]],
        [{ from: '2026-02-01', kind: 'wallet_deposit' }, [deposit]],
        [{ from: '2026-02-02' }, []],
      ] as const) {
        expect((await walletList(query)).data, JSON.stringify(query)).to.deep.equal(expected);
      }
      expect(await outcomeOf(walletList({ to: 'x' }))).to.equal(INVALID);
    });

    it('are for its owner and the scope wallets:fund; the wallets of others do not exist', async () => {
      const deposit = await salary();
      expect((await walletList({}, 'bank', FUND)).data).to.deep.equal([deposit]);
      for (const [who, options] of [
        [treasury.group.t.user_id, {}],
        ['thief', { scopes: ['wallets:funds'] }],
      ] as const) {
        expect(await outcomeOf(walletList({}, who, options))).to.equal('not_found');
      }
      for (const wallet_id of [newId(), 'nothing', '\u0000']) {
        const asked = (options: object) =>
          treasury.as('bank', contract.listWalletTransfers, { path: { wallet_id } }, options);
        expect(await outcomeOf(asked(FUND))).to.equal('not_found');
      }
      const empty = await treasury.fundedWallet('newcomer', 0);
      const path = { wallet_id: empty };
      expect(await treasury.pages('newcomer', contract.listWalletTransfers, path, 5)).to.deep.equal([]);
    });

    it('are looked for among a limited number of its movements for each page', async () => {
      const deposit = await salary();
      await repeat((await post()).id, ENTRIES_READ_MAX);
      const first = await walletList({ kind: 'wallet_deposit' });
      expect(first.data).to.deep.equal([]);
      const second = await walletList({ kind: 'wallet_deposit', cursor: first.next_cursor });
      expect(second).to.deep.equal({ data: [deposit], next_cursor: null });
    });
  });

  /** Posts transfers of all kinds of accounts at times that go back now and then. */
  async function postAtRandom(seed: number): Promise<{ transfers: TransferRecord[]; members: Map<string, string[]> }> {
    const random = createRandom(seed);
    const { m, s, t } = treasury.group;
    const wallets = new Map([m, s, t].map((each) => [each.member_id, `wallet:${each.payout_wallet_id!}`]));
    for (const each of [m, s, t]) await treasury.deposit(each.payout_wallet_id!, 1_000);
    const accounts = ['treasury', `pool:${meeting_id}`, `pool:${newId()}`, 'reserved', ...wallets.values()];
    const memberOf = (account: string) => [...wallets].find(([, wallet]) => wallet === account)?.[0];
    const members = new Map<string, string[]>();
    let now = Date.parse('2026-05-01T00:00:00Z');
    for (let count = 0; count < 60; count += 1) {
      now += random.between(-30, 120) * 60_000;
      treasury.clock.stopped_at = new Date(now);
      const inCash = random.oneIn(3);
      const [from, to] = inCash ? ['cash_funding', 'cash_treasury'] : [random.pick(accounts), random.pick(accounts)];
      if (from === to) continue;
      const member_id = memberOf(from) ?? memberOf(to) ?? (inCash ? random.pick([m, s]).member_id : null);
      const parts = random.pick([[3], [1, 2], [1, 1, 1]]);
      const given = {
        id: newId(),
        kind: random.pick(['contribution', 'settlement', 'cash_deposit'] as const),
        payer_user_id: [m, s, t].find((each) => memberOf(from) === each.member_id)?.user_id ?? null,
        member_id,
        legs: parts.flatMap((part) => legs(from, to, part).legs),
      };
      // Some accounts are still empty.
      if ((await outcomeOf(treasury.transfer(given))) !== 'done') continue;
      const isOfMember = given.legs.some(({ account }) => isExternal(account));
      members.set(given.id, isOfMember && member_id !== null ? [member_id] : []);
    }
    return { transfers: (await treasury.exportLedger()).transfers, members };
  }
});

/** Returns the filters as a condition on transfers, judged by their published form. */
function fulfilling({ kind, account, member_id, from, to }: Filters, members: Map<string, string[]>) {
  const isFrom = (posted_at: string) => from === undefined || posted_at >= (from.length > 10 ? instant(from) : from);
  const isTo = (posted_at: string) =>
    to === undefined || (to.length > 10 ? posted_at <= instant(to) : posted_at.slice(0, 10) <= to);
  return ({ id, kind: its, legs: moved, posted_at }: TransferRecord) =>
    (kind === undefined || its === kind) &&
    (account === undefined || moved.some((leg) => leg.account === account)) &&
    (member_id === undefined || members.get(id)?.includes(member_id) === true) &&
    isFrom(posted_at) &&
    isTo(posted_at);
}

const instant = (text: string) => new Date(text).toISOString();

/** By kind and time, transfers are listed in the order of their times, otherwise in the order of the chain. */
function newestFirst(transfers: TransferRecord[], { account, member_id, ...byTime }: Filters): TransferRecord[] {
  const isByTime = account === undefined && member_id === undefined && Object.keys(byTime).length > 0;
  const later = (a: TransferRecord, b: TransferRecord) =>
    isByTime && a.posted_at !== b.posted_at ? (a.posted_at < b.posted_at ? 1 : -1) : b.seq - a.seq;
  return transfers.toSorted(later);
}
