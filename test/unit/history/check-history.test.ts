import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { checkHistory } from '../../faults/history/check-history.ts';
import { closingReads } from '../../faults/history/closing-reads.ts';
import { readHistory, writeHistory, type Exchange, type Json } from '../../faults/history/exchange.ts';
import { createRecorder } from '../../faults/history/recorder.ts';

const A = '/associations/a';
const M = `${A}/meetings/m`;
const NO_TIME = { called: 0, returned: null, key: null, sent: {}, status: null, received: {} };

type Line = Partial<Exchange> & Pick<Exchange, 'user' | 'method' | 'path'>;
const line = (one: Line): Exchange => ({ ...NO_TIME, ...one });
type Times = [called: number, returned: number | null];

function post(user: string, path: string, [called, returned]: Times, sent: Json, status: number, received: Json = {}) {
  const answered = returned === null ? {} : { status, received };
  return line({ user, method: 'POST', path, called, returned, sent, ...answered });
}
function get(path: string, [called, returned]: Times, received: Json) {
  return line({ user: 'ann', method: 'GET', path, called, returned, status: 200, received });
}

const members = get(`${A}/members`, [0, 1], {
  data: ['ann', 'ben', 'cid'].map((user_id) => ({ id: `${user_id}-id`, user_id, association_id: 'a' })),
});
const balance = (times: Times, amount: number) => get('/wallets/w', times, { id: 'w', balance: amount });
const deposit = (times: Times, amount: number, reference: string, id: string) =>
  post('bank', '/wallets/w/deposits', times, { amount, reference }, 201, { id });
const contribution = (times: Times, amount: number, outstanding: number, user = 'ann') => {
  const id = `t-${String(times[0])}`;
  const received = { id, transfer_id: id, status: 'paid', outstanding };
  return post(user, `${M}/contribute`, times, { wallet_id: 'w', amount, for_member_id: 'ben-id' }, 201, received);
};
const refused = (times: Times, amount: number, code: string, more: Json = {}) =>
  post('ann', `${M}/contribute`, times, { wallet_id: 'w', amount, for_member_id: 'ben-id' }, 409, { code, ...more });
const due = (times: Times, amount: number, paid: number) =>
  get(`${M}/dues`, times, { data: [{ member_id: 'ben-id', due: amount, paid, outstanding: amount - paid }] });
const meeting = (times: Times, status: string, collected_amount: number) =>
  get(M, times, { id: 'm', cycle_id: 'c', status, collected_amount, expected_amount: 30 });
const start = [members, balance([0, 1], 100), due([0, 1], 30, 0)];

/** Returns the kinds of objects whose histories are no order of the model's. */
function violations(...history: Exchange[]): string[] {
  const results = checkHistory([...start, ...history]);
  expect(results.filter(({ outcome }) => outcome === 'unknown')).to.deep.equal([]);
  return results.filter(({ outcome }) => outcome === 'violation').map(({ object }) => object.split(' ')[0]!);
}

describe('the check of a history', () => {
  it('accepts payments that share a wallet and a due', () => {
    const history = [
      contribution([2, 9], 10, 10),
      contribution([2, 9], 10, 20),
      balance([3, 4], 90),
      due([10, 11], 30, 20),
    ];
    expect(violations(...history, balance([10, 11], 80))).to.deep.equal([]);
  });

  it('rejects a balance that lacks an answered payment, or has one twice', () => {
    for (const wrong of [100, 80]) {
      expect(violations(contribution([2, 3], 10, 20), balance([4, 5], wrong))).to.deep.equal(['wallet']);
    }
  });

  it('lets a member pay arrears that are owed to themselves', () => {
    const legs = [-10, 10].map((amount_minor) => ({ account: 'wallet:w', amount_minor }));
    const transfer = { id: 't-2', seq: 1, kind: 'arrears_payment', currency: 'XAF', legs };
    const exported = get(`${A}/ledger/export`, [6, 7], { data: [transfer] });
    expect(violations(contribution([2, 3], 10, 20), exported, balance([8, 9], 100))).to.deep.equal([]);
    expect(violations(contribution([2, 3], 10, 20), exported, balance([8, 9], 90))).to.deep.equal(['wallet']);
  });

  it('knows who got arrears that were paid later, or without an answer', () => {
    const legs = [
      { account: 'wallet:w', amount_minor: -10 },
      { account: 'wallet:v', amount_minor: 10 },
    ];
    const transfer = { id: 't-2', seq: 1, kind: 'arrears_payment', currency: 'XAF', legs };
    const exported = get(`${A}/ledger/export`, [6, 7], { data: [transfer] });
    const received = (times: Times, amount: number) => get('/wallets/v', times, { id: 'v', balance: amount });
    const sent = { wallet_id: 'w', amount: 10, for_member_id: 'ben-id' };
    const pending = { id: 't-2', status: 'pending', transfer_id: null, outstanding: 20 };
    const row = { ...pending, meeting_id: 'm', member_id: 'ben-id', wallet_id: 'w', amount: 10, status: 'paid' };
    const list = get(`${M}/contributions`, [6, 7], { data: [row], next_cursor: null });
    for (const payment of [
      post('ann', `${M}/contribute`, [2, 3], sent, 202, pending),
      post('ann', `${M}/contribute`, [2, null], sent, 0),
    ]) {
      const seen = [received([0, 1], 5), payment, exported, list, balance([8, 9], 90)];
      expect(violations(...seen, received([8, 9], 15))).to.deep.equal([]);
      expect(violations(...seen, received([8, 9], 5))).to.deep.equal(['wallet']);
    }
  });

  it('rejects a refusal for lack of money that the wallet had all the time', () => {
    expect(violations(refused([2, 3], 30, 'insufficient_funds'))).to.deep.equal(['wallet']);
    const withdrawal = post('bank', '/wallets/w/withdrawals', [2, 9], { amount: 80, reference: 'r' }, 201, { id: 'x' });
    expect(violations(withdrawal, refused([3, 4], 30, 'insufficient_funds'))).to.deep.equal([]);
  });

  it('counts a deposit once for each reference', () => {
    const twice = [deposit([2, 5], 7, 'r', 'd1'), deposit([3, 6], 7, 'r', 'd1')];
    expect(violations(...twice, balance([7, 8], 107))).to.deep.equal([]);
    expect(violations(...twice, balance([7, 8], 114))).to.deep.equal(['wallet']);
    expect(violations(twice[0]!, deposit([6, 7], 7, 'r', 'd2'))).to.deep.equal(['wallet']);
  });

  it('takes repeats with one key as one payment, from the first call to the answer', () => {
    const lost = { ...contribution([2, null], 10, 20), key: 'k' };
    const answered = { ...contribution([6, 9], 10, 20), key: 'k' };
    expect(violations(lost, balance([3, 4], 90), answered, balance([10, 11], 90))).to.deep.equal([]);
    expect(violations(lost, balance([3, 4], 90), answered, balance([10, 11], 80))).to.deep.equal(['wallet']);
  });

  it('lets a payment without an answer happen or not, but not both', () => {
    const lost = contribution([2, null], 10, 20);
    for (const paid of [0, 10]) {
      const seen = [balance([4, 5], 100 - paid), due([4, 5], 30, paid)];
      expect(violations(lost, ...seen)).to.deep.equal([]);
    }
    expect(violations(lost, balance([4, 5], 90), balance([6, 7], 100))).to.deep.equal(['wallet']);
  });

  it('knows from the list of contributions whether a payment without an answer was paid', () => {
    const lost = contribution([2, null], 10, 20);
    const row = { id: 't-2', meeting_id: 'm', member_id: 'ben-id', wallet_id: 'w', amount: 10, status: 'paid' };
    const list = (...data: Json[]) => get(`${M}/contributions`, [6, 7], { data, next_cursor: null });
    expect(violations(lost, list(row), balance([8, 9], 90))).to.deep.equal([]);
    expect(violations(lost, list(row), balance([8, 9], 100))).to.deep.equal(['wallet']);
    expect(violations(lost, list(), balance([8, 9], 90))).to.deep.equal(['wallet']);
  });

  it('knows how many of several alike payments without an answer were paid', () => {
    const lost = [contribution([2, null], 10, 20), contribution([4, null], 10, 20)];
    const row = { id: 't-4', meeting_id: 'm', member_id: 'ben-id', wallet_id: 'w', amount: 10, status: 'paid' };
    const list = get(`${M}/contributions`, [6, 7], { data: [row], next_cursor: null });
    const collected = meeting([8, 9], 'open', 10);
    for (const early of [100, 90]) {
      expect(violations(...lost, balance([2.5, 3], early), list, balance([8, 9], 90), collected)).to.deep.equal([]);
    }
    for (const wrong of [100, 80]) {
      expect(violations(...lost, list, balance([8, 9], wrong), collected)).to.deep.equal(['wallet']);
    }
    expect(violations(...lost, list, balance([8, 9], 90), meeting([8, 9], 'open', 20))).to.deep.equal(['meeting']);
  });

  it('accepts what it accepts also if any answers to the writes are lost', () => {
    const spent = post('bank', '/wallets/w/withdrawals', [2, 4], { amount: 80, reference: 'r' }, 201, { id: 'x' });
    const writes = [
      spent,
      contribution([3, 6], 10, 20),
      refused([5, 7], 20, 'insufficient_funds'),
      refused([6, 8], 20, 'contribution_exceeds_due', { outstanding: 0 }),
      deposit([9, 10], 7, 'r', 'd1'),
      deposit([11, 12], 7, 'r', 'd1'),
    ];
    const reads = [due([8.5, 8.8], 30, 10), balance([13, 14], 17), due([13, 14], 30, 10)];
    for (let lost = 0; lost < 2 ** writes.length; lost += 1) {
      const sent = writes.map((write, place) => {
        return (lost >> place) % 2 === 0 ? write : { ...write, returned: null, status: null, received: {} };
      });
      expect(violations(...sent, ...reads), `lost: ${lost.toString(2)}`).to.deep.equal([]);
    }
  });

  it('rejects contribution_exceeds_due with an outstanding amount that suffices', () => {
    expect(violations(refused([2, 3], 10, 'contribution_exceeds_due', { outstanding: 30 }))).to.deep.equal(['due']);
  });

  it('counts a payment in flight as taken, even if it is refused then', () => {
    const inVain = refused([2, 6], 30, 'insufficient_funds');
    const exceeding = refused([3, 4], 10, 'contribution_exceeds_due', { outstanding: 0 });
    const spent = post('bank', '/wallets/w/withdrawals', [1.5, 9], { amount: 80, reference: 'r' }, 201, { id: 'x' });
    expect(violations(spent, inVain, exceeding)).to.deep.equal([]);
    expect(violations(spent, { ...inVain, returned: 2.5 }, exceeding)).to.deep.equal(['due']);
  });

  it('rejects payments that exceed the due together', () => {
    expect(violations(contribution([2, 9], 20, 10), contribution([2, 9], 20, 10))).to.include('due');
  });

  it('rejects an outstanding amount that never was', () => {
    expect(violations(contribution([2, 3], 10, 10))).to.deep.equal(['due']);
  });

  it('rejects a payment to a meeting that was seen as closed', () => {
    const seen = [meeting([0, 1], 'open', 0), meeting([2, 3], 'settling', 0)];
    expect(violations(...seen, contribution([4, 5], 10, 20))).to.deep.equal(['meeting']);
    const reopened = post('ann', `${M}/settle`, [1.5, 3.5], {}, 409, {
      code: 'meeting_underfunded',
      missing: [{ member_id: 'ben-id', outstanding: 30 }],
    });
    expect(violations(...seen, reopened, contribution([4, 5], 10, 20))).to.deep.equal([]);
  });

  it('rejects a settlement without a payment that was answered before it began', () => {
    const settled = (collected_amount: number) =>
      post('ann', `${M}/settle`, [4, 5], {}, 200, { id: 's', status: 'settled', collected_amount, arrears: [] });
    const ledger = get(`${A}/ledger/export`, [6, 7], {
      data: [
        { id: 't-2', seq: 1, kind: 'contribution', currency: 'XAF', legs: legs(['wallet:w', -10], ['pool:m', 10]) },
        { id: 's', seq: 2, kind: 'settlement', currency: 'XAF', legs: legs(['pool:m', -10], ['wallet:w', 10]) },
      ],
    });
    const history = [contribution([2, 3], 10, 20), ledger, balance([8, 9], 100)];
    expect(violations(...history, settled(10))).to.deep.equal([]);
    expect(violations(...history, settled(0))).to.deep.equal(['meeting']);
    expect(violations(contribution([2, 3], 10, 20), { ...ledger, received: { data: [] } })).to.deep.equal([
      'transfers',
    ]);
  });

  it('leaves out the transfers before its begin, but none after a write', () => {
    const refund = {
      id: 'r',
      seq: 1,
      kind: 'meeting_refund',
      currency: 'XAF',
      legs: legs(['pool:m', -10], ['wallet:w', 10]),
    };
    const ledger = get(`${A}/ledger/export`, [6, 7], { data: [refund] });
    const head = (times: Times) => get(`${A}/ledger/head`, times, { seq: 1 });
    const cancelled = post('ann', `${M}/cancel`, [2, 3], {}, 200, { id: 'm', status: 'cancelled' });
    expect(violations(head([0, 1]), ledger, balance([8, 9], 100))).to.deep.equal([]);
    expect(violations(cancelled, head([4, 5]), ledger, balance([8, 9], 110))).to.deep.equal([]);
    expect(violations(cancelled, head([4, 5]), ledger, balance([8, 9], 100))).to.deep.equal(['wallet']);
  });

  it('counts votes until an approval is decided', () => {
    const shown = (status: string, ...voters: string[]) => ({
      id: 'p',
      status,
      required_approvals: 2,
      votes: voters.map((member_id) => ({ member_id, decision: 'approve' })),
      execution: { status: 'none' },
    });
    const vote = (user: string, times: Times, status: number, received: Json) =>
      post(user, `${A}/governance/approve`, times, { approval_id: 'p' }, status, received);
    const read = (times: Times, approval: Json) => get(`${A}/governance/approvals/p`, times, approval);
    const first = vote('ann', [2, 5], 200, shown('pending', 'ann-id'));
    const second = vote('ben', [3, 6], 200, shown('approved', 'ann-id', 'ben-id'));
    expect(violations(first, second, vote('cid', [4, 7], 409, { code: 'approval_not_pending' }))).to.deep.equal([]);
    expect(violations(first, vote('ann', [6, 7], 409, { code: 'already_voted' }))).to.deep.equal([]);
    expect(violations(first, vote('cid', [6, 7], 409, { code: 'approval_not_pending' }))).to.deep.equal(['approval']);
    expect(violations(first, { ...second, received: shown('approved', 'ben-id') })).to.deep.equal(['approval']);
    expect(violations(first, second, read([8, 9], shown('pending', 'ann-id')))).to.deep.equal(['approval']);
    expect(violations(first, vote('ann', [8, 9], 200, shown('approved', 'ann-id')))).to.deep.equal(['approval']);

    // The answer to a repeat: the vote of an officer who has lost their role does not count (chaos seed 122).
    const lost = { ...vote('ben', [6, null], 200, {}), key: 'k' };
    const repeated = (status: string) => ({
      ...vote('ben', [8, 9], 200, shown(status, 'ann-id', 'ben-id')),
      key: 'k',
    });
    const roleLost = line({
      user: 'ann',
      method: 'DELETE',
      path: `${A}/members/me`,
      called: 5,
      returned: 6,
      status: 204,
    });
    expect(violations(first, roleLost, lost, repeated('rejected'))).to.deep.equal([]);
    expect(violations(first, roleLost, lost, repeated('pending'))).to.deep.equal([]);
    expect(violations(first, lost, repeated('rejected'))).to.deep.equal(['approval']);
    expect(violations(first, lost, repeated('pending'))).to.deep.equal(['approval']);
  });
});

const legs = (...all: [string, number][]) => all.map(([account, amount_minor]) => ({ account, amount_minor }));

describe('the recorder of histories', () => {
  it('records times, keys and answers, but no PIN, and nothing of a lost answer', async () => {
    let now = 0;
    const recorder = createRecorder(() => ++now);
    const send = recorder.wrap(
      ({ path }: { user: string; method: string; path: string; body?: unknown; headers?: Record<string, string> }) =>
        path === '/lost' ? Promise.reject(new Error('lost')) : Promise.resolve({ status: 201, text: '{"id":"x"}' }),
    );
    const headers = { 'Idempotency-Key': 'k' };
    await send({ user: 'ann', method: 'POST', path: '/wallets', body: { pin: 'sealed', currency: 'XAF' }, headers });
    await send({ user: 'ann', method: 'GET', path: '/lost' }).catch(() => undefined);
    const request = { user: 'ann', method: 'POST', path: '/wallets', key: 'k', sent: { currency: 'XAF' } };
    expect(recorder.history()).to.deep.equal([
      { ...request, called: 1, returned: 2, status: 201, received: { id: 'x' } },
      { ...NO_TIME, user: 'ann', method: 'GET', path: '/lost', called: 3 },
    ]);
    const folder = mkdtempSync(join(tmpdir(), 'history-'));
    const file = join(folder, 'history.ndjson');
    writeHistory(file, recorder.history());
    expect(readHistory(file)).to.deep.equal(recorder.history());
    rmSync(folder, { recursive: true });
  });

  it('records an export of one line as a list', async () => {
    const recorder = createRecorder();
    await recorder.wrap(() => Promise.resolve({ status: 200, text: '{"id":"t"}\n' }))({
      user: 'ann',
      method: 'GET',
      path: `${A}/ledger/export`,
    });
    expect(recorder.history()[0]?.received).to.deep.equal({ data: [{ id: 't' }] });
  });

  it('names the reads that the check needs at the end', () => {
    const cash = post('ben', `${A}/cash-contribution`, [4, null], { meeting_id: 'n' }, 201);
    const paths = closingReads([...start, contribution([2, 3], 10, 20), cash]).map(({ path }) => path);
    const meetings = [M, `${M}/dues?limit=200`, `${A}/meetings/n/dues?limit=200`];
    expect(paths).to.include.members(['/wallets/w', ...meetings, `${A}/ledger/export`]);
  });
});
