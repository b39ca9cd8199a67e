import { expect } from 'chai';
import { complaintsAbout, type Exchange } from '../../harness/conformance.ts';
import { api } from '../../harness/own-document.ts';

const BASE = '/association-service/api/v1';
const SOME = '0199b2a4-6c00-7a10-8000-000000000001';
const ALWAYS = { 'X-Request-Id': 'r', traceparent: 't', 'Content-Type': 'application/json; charset=utf-8' };

const WALLET = { id: 'w', user_id: 'awa', currency: 'XAF', balance: 5, created_at: '2026-10-05T18:30:00.000Z' };

function exchange(of: Partial<Omit<Exchange, 'headers'>>, body: unknown, headers: object = {}): Exchange {
  return {
    method: 'POST',
    target: `${BASE}/wallets`,
    sent: '{"currency":"XAF"}',
    status: 201,
    ...of,
    headers: new Headers({ ...ALWAYS, Location: `${BASE}/wallets/w`, ...headers }),
    received: body === undefined ? '' : JSON.stringify(body),
  };
}

function refusal(code: string, status: number, more: object = {}): Exchange {
  const shown = { type: `/problems/${code}`, title: 't', status, detail: 'd', code, request_id: 'r', ...more };
  return exchange({ status }, shown, { 'Content-Type': 'application/problem+json', 'Content-Language': 'en' });
}

describe('the conformance of an exchange', () => {
  it('holds for answers that the OpenAPI document describes', () => {
    expect(complaintsAbout(exchange({}, WALLET))).to.deep.equal([]);
    expect(complaintsAbout(refusal('validation_failed', 422, { errors: [] }))).to.deep.equal([]);
  });

  it('is broken by an answer with an additional field, a missing field or a field of another type', () => {
    const { balance, ...less } = WALLET;
    expect(complaintsAbout(exchange({}, { ...WALLET, secret: 1 }))).to.have.lengthOf(1);
    expect(complaintsAbout(exchange({}, less))).to.have.lengthOf(1);
    expect(complaintsAbout(exchange({}, { ...WALLET, balance: String(balance) }))).to.have.lengthOf(1);
  });

  it('is broken by an undocumented status, code, media type or extra', () => {
    expect(complaintsAbout(exchange({ status: 206 }, WALLET))).to.not.be.empty;
    expect(complaintsAbout(refusal('meeting_not_open', 409))).to.not.be.empty;
    expect(complaintsAbout(refusal('validation_failed', 422, { errors: [], sql: '' }))).to.not.be.empty;
    expect(complaintsAbout(exchange({}, WALLET, { 'Content-Type': 'text/plain' }))).to.not.be.empty;
  });

  it('is broken by a missing header that is documented', () => {
    const { headers, ...rest } = exchange({}, WALLET);
    headers.delete('Location');
    expect(complaintsAbout({ ...rest, headers })).to.deep.equal(['there is no header Location']);
  });

  it('is broken by an undocumented request that is not refused', () => {
    const sent = '{"currency":"XAF","colour":"red"}';
    expect(complaintsAbout(exchange({ sent }, WALLET))).to.have.lengthOf(1);
    expect(complaintsAbout(exchange({ target: `${BASE}/wallets?colour=red` }, WALLET))).to.have.lengthOf(1);
    expect(complaintsAbout(exchange({ sent: '{"currency":"xaf"}' }, WALLET))).to.deep.equal([]);
  });

  it('is broken by an undocumented operation, but not by the refusal of an unknown path or method', () => {
    expect(complaintsAbout(exchange({ target: `${BASE}/secrets` }, {}))).to.not.be.empty;
    expect(complaintsAbout({ ...refusal('not_found', 404), target: `${BASE}/secrets` })).to.deep.equal([]);
    expect(complaintsAbout({ ...refusal('method_not_allowed', 405), method: 'DELETE' })).to.deep.equal([]);
  });

  it('matches a request with the operation whose path is most specific', () => {
    expect(api.operationFor('GET', `${BASE}/associations/my`)?.id).to.equal('myAssociations');
    expect(api.operationFor('HEAD', `${BASE}/associations/${SOME}/`)?.id).to.equal('getAssociation');
    expect(api.operationFor('PUT', `${BASE}/associations/my`)).to.equal(undefined);
  });
});
