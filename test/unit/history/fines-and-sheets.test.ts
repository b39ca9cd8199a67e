import { expect } from 'chai';
import { checkHistory } from '../../faults/history/check-history.ts';
import { closingReads } from '../../faults/history/closing-reads.ts';
import type { Exchange, Json } from '../../faults/history/exchange.ts';

const A = '/associations/a';
const M = `${A}/meetings/m`;
const S = `${M}/sheets/s`;
const NO_TIME = { called: 0, returned: null, key: null, sent: {}, status: null, received: {} };

type Times = [called: number, returned: number | null];

function send(method: string, path: string, [called, returned]: Times, sent: Json, status: number, received: Json) {
  const answered = returned === null ? {} : { status, received };
  return { ...NO_TIME, user: 'ann', method, path, called, returned, sent, ...answered } as Exchange;
}
const get = (path: string, times: Times, received: Json) => send('GET', path, times, {}, 200, received);

const start = [
  get(`${A}/members`, [0, 1], { data: [{ id: 'ann-id', user_id: 'ann', association_id: 'a' }] }),
  get('/wallets/w', [0, 1], { id: 'w', balance: 100 }),
  get(M, [0, 1], { id: 'm', cycle_id: 'c', status: 'open', collected_amount: 0, expected_amount: 30 }),
];
const balance = (times: Times, amount: number) => get('/wallets/w', times, { id: 'w', balance: amount });
const due = (times: Times, paid: number) =>
  get(`${M}/dues`, times, { data: [{ member_id: 'ann-id', due: 30, paid, outstanding: 30 - paid }] });
const meeting = (times: Times, collected_amount: number) =>
  get(M, times, { id: 'm', cycle_id: 'c', status: 'open', collected_amount, expected_amount: 30 });
const fine = (times: Times, paid: number, status = 'due') =>
  get(`${A}/fines/f`, times, { id: 'f', ...fineOf(paid, status) });
const fineOf = (paid: number, status = 'due') => {
  return { amount: 50, paid, status, outstanding: status === 'due' ? 50 - paid : 0 };
};
const payFine = (times: Times, amount: number, paid: number, status = 'due') => {
  const received = { id: 'f', transfer_id: `t-${String(times[0])}`, ...fineOf(paid, status) };
  return send('POST', `${A}/fines/f/pay`, times, { wallet_id: 'w', amount }, 201, received);
};
const refusedFine = (times: Times, amount: number, received: Json) =>
  send('POST', `${A}/fines/f/pay`, times, { wallet_id: 'w', amount }, 409, received);
const exported = (...data: Json[]) => get(`${A}/ledger/export`, [80, 81], { data });
const transfer = (id: string, kind: string, legs: Record<string, number>, reference: string | null = null) => {
  const all = Object.entries(legs).map(([account, amount_minor]) => ({ account, amount_minor }));
  return { id, seq: 1, kind, currency: 'XAF', reference, legs: all };
};
const approve = (times: Times, subject_type: string, payload: Json, execution: string) =>
  send('POST', `${A}/governance/approve`, times, { approval_id: 'p' }, 200, {
    id: 'p',
    subject_type,
    subject_id: subject_type === 'correction' ? 'r' : 's',
    payload,
    status: 'approved',
    required_approvals: 1,
    votes: [{ member_id: 'ann-id', decision: 'approve' }],
    execution: { status: execution },
  });

/** Returns the kinds of objects whose histories are no order of the model's. */
function violations(...history: Exchange[]): string[] {
  const results = checkHistory([...start, ...history]);
  return results.filter(({ outcome }) => outcome === 'violation').map(({ object }) => object.split(' ')[0]!);
}

describe('the check of the history of fines', () => {
  const paidOnce = [
    exported(transfer('t-2', 'fine_payment', { 'wallet:w': -20, treasury: 20 })),
    balance([82, 83], 80),
  ];

  it('accepts payments in parts, and rejects one that is counted twice or not at all', () => {
    expect(violations(payFine([2, 3], 20, 20), fine([4, 5], 20), ...paidOnce)).to.deep.equal([]);
    expect(violations(payFine([2, 3], 20, 20), fine([4, 5], 40), ...paidOnce)).to.deep.equal(['fine']);
    expect(violations(payFine([2, 3], 20, 20), fine([4, 5], 0), ...paidOnce)).to.deep.equal(['fine']);
  });

  it('knows from the ledger what a wallet has paid', () => {
    const [ledger] = paidOnce as [Exchange, Exchange];
    expect(violations(payFine([2, 3], 20, 20), fine([4, 5], 20), ledger, balance([6, 7], 100))).to.deep.equal([
      'wallet',
    ]);
    const lost = payFine([2, null], 20, 20);
    expect(violations(lost, fine([4, 5], 20), ...paidOnce)).to.deep.equal([]);
  });

  it('rejects refusals that the fine or the wallet does not explain', () => {
    const exceeded = (outstanding: number) => refusedFine([6, 7], 40, { code: 'fine_exceeded', outstanding });
    const paid = [payFine([2, 3], 20, 20), fine([4, 5], 20), ...paidOnce];
    expect(violations(...paid, exceeded(30))).to.deep.equal([]);
    expect(violations(...paid, exceeded(10))).to.deep.equal(['fine']);
    expect(violations(...paid, refusedFine([6, 7], 5, { code: 'fine_not_due' }))).to.deep.equal(['fine']);
    expect(violations(...paid, refusedFine([6, 7], 30, { code: 'insufficient_funds' }))).to.deep.equal(['wallet']);
  });

  it('expects that a waiver ends it', () => {
    const waived = approve([4, 5], 'fine_waiver', { fine_id: 'f' }, 'done');
    const paid = payFine([2, 3], 20, 20);
    expect(violations(paid, waived, fine([6, 7], 20, 'waived'), ...paidOnce)).to.deep.equal([]);
    expect(violations(paid, waived, fine([6, 7], 20), ...paidOnce)).to.deep.equal(['fine']);
    expect(violations(paid, fine([6, 7], 20, 'waived'), ...paidOnce)).to.deep.equal(['fine']);
  });
});

describe('the check of the history of meeting sheets', () => {
  const lines = [
    { line_id: '1', kind: 'contribution', member_id: 'ann-id', amount: 10 },
    { line_id: '2', kind: 'fine', member_id: 'ann-id', fine_id: 'f', amount: 20 },
  ];
  const shown = (more: Json) => {
    return { id: 's', lines, sheet_hash: 'h', refusal: null, confirmed_at: null, transfer_id: null, ...more };
  };
  const written = send('PUT', S, [2, 3], {}, 201, shown({ status: 'draft', approval_id: null }));
  const submit = (times: Times) =>
    send('POST', `${S}/submit`, times, { sheet_hash: 'h' }, 200, shown({ status: 'submitted', approval_id: 'p' }));
  const confirmed = approve([6, 7], 'meeting_sheet', {}, 'done');
  const paid = [fine([8, 9], 20), due([8, 9], 10), meeting([8, 9], 10)];
  const unpaid = [fine([8, 9], 0), due([8, 9], 0), meeting([8, 9], 0)];

  it('expects that all lines of an approved sheet are paid, once', () => {
    expect(violations(written, submit([4, 5]), confirmed, ...paid)).to.deep.equal([]);
    expect(violations(written, submit([4, 5]), confirmed, ...unpaid)).to.deep.equal(['due', 'meeting', 'fine']);
  });

  it('expects that nothing is paid before it is approved', () => {
    expect(violations(written, submit([4, 5]), ...unpaid)).to.deep.equal([]);
    expect(violations(written, submit([4, 5]), ...paid)).to.deep.equal(['due', 'meeting', 'fine']);
  });

  it('knows that the dues and fines of a submitted sheet are taken', () => {
    const exceeded = (outstanding: number) => [
      refusedFine([10, 11], 40, { code: 'fine_exceeded', outstanding }),
      send('POST', `${M}/contribute`, [10, 11], { wallet_id: 'w', amount: 25, for_member_id: 'ann-id' }, 409, {
        code: 'contribution_exceeds_due',
        outstanding: outstanding - 10,
      }),
    ];
    expect(violations(written, submit([4, 5]), ...unpaid, ...exceeded(30))).to.deep.equal([]);
    expect(violations(written, submit([4, 5]), ...unpaid, ...exceeded(25))).to.deep.equal(['due', 'fine']);
  });

  it('knows from the sheet whether one without an answer was submitted', () => {
    const list = get(`${M}/sheets`, [10, 11], {
      data: [shown({ status: 'confirmed', approval_id: 'p', confirmed_at: 'now', transfer_id: 's1' })],
    });
    expect(violations(written, submit([4, null]), confirmed, ...paid, list)).to.deep.equal([]);
    expect(violations(written, submit([4, null]), confirmed, ...unpaid, list)).to.deep.equal([
      'due',
      'meeting',
      'fine',
    ]);
  });
});

describe('the check of the history of corrections', () => {
  const legs = { 'wallet:w': -10, 'pool:m': 10 };
  const contributed = send(
    'POST',
    `${M}/contribute`,
    [2, 3],
    { wallet_id: 'w', amount: 10, for_member_id: 'ann-id' },
    201,
    { id: 't-2', transfer_id: 't-2', status: 'paid', outstanding: 20 },
  );
  const list = (status: string) =>
    get(`${M}/contributions`, [12, 13], {
      next_cursor: null,
      data: [
        { id: 't-2', transfer_id: 't-2', meeting_id: 'm', member_id: 'ann-id', wallet_id: 'w', amount: 10, status },
      ],
    });
  const payload = { transfer_id: 't-2', kind: 'contribution', amount: 10 };
  const corrected = (execution: string) => approve([4, 5], 'correction', payload, execution);
  const reversal = transfer('r', 'reversal', { 'wallet:w': 10, 'pool:m': -10 }, 't-2');
  const original = transfer('t-2', 'contribution', legs);

  it('expects that a reversed contribution is neither paid nor in the pool, and is in the wallet again', () => {
    const after = [list('reversed'), exported(original, reversal)];
    const right = [due([6, 7], 0), meeting([6, 7], 0), balance([6, 7], 100)];
    const wrong = [due([6, 7], 10), meeting([6, 7], 10), balance([6, 7], 90)];
    expect(violations(contributed, corrected('done'), ...right, ...after)).to.deep.equal([]);
    expect(violations(contributed, corrected('done'), ...wrong, ...after)).to.deep.equal(['wallet', 'due', 'meeting']);
  });

  it('expects that one whose correction failed is paid, though it may not have been meanwhile', () => {
    const after = [list('paid'), exported(original)];
    const right = [due([6, 7], 10), meeting([6, 7], 10), balance([6, 7], 90)];
    expect(violations(contributed, corrected('failed'), ...right, ...after)).to.deep.equal([]);
    const during = [due([4, 5], 0), due([6, 7], 10)];
    expect(violations(contributed, corrected('failed'), ...during, ...after)).to.deep.equal([]);
    expect(violations(contributed, corrected('failed'), due([6, 7], 0), ...after)).to.deep.equal(['due']);
  });

  it('expects that a fine is due again if its payment is reversed', () => {
    const paid = payFine([2, 3], 50, 50, 'paid');
    const done = approve([4, 5], 'correction', { transfer_id: 't-2', kind: 'fine_payment', amount: 50 }, 'done');
    const ledger = exported(
      transfer('t-2', 'fine_payment', { 'wallet:w': -50, treasury: 50 }),
      transfer('r', 'reversal', { 'wallet:w': 50, treasury: -50 }, 't-2'),
    );
    expect(violations(paid, done, fine([6, 7], 0), balance([6, 7], 100), ledger)).to.deep.equal([]);
    expect(violations(paid, done, fine([6, 7], 50, 'paid'), ledger)).to.deep.equal(['fine']);
  });
});

describe('the closing reads of fines and sheets', () => {
  it('are of the fines, the sheets and the payers', () => {
    const paths = closingReads([...start, payFine([2, 3], 20, 20)]).map(({ path }) => path);
    expect(paths).to.include.members(['/wallets/w', `${A}/fines?limit=200`, `${M}/sheets?limit=200`]);
  });
});
