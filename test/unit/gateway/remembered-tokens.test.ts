import { expect } from 'chai';
import jwt from 'jsonwebtoken';
import { problemCode } from '../../../lib/errors/problem.ts';
import { tokenVerifier } from '../../../services/gateway/tokens/verifier.ts';

const SECRET = 'a secret for tests that is long enough';
const BEGINS_S = Date.parse('2026-01-01T00:00:00Z') / 1_000;
const ENDS_S = BEGINS_S + 60;

describe('an access token that was verified before', () => {
  let now_s: number;
  const verify = tokenVerifier({ secret: SECRET }, () => new Date(now_s * 1_000));
  const token = jwt.sign({ sub: 'awa', scope: 'a b', nbf: BEGINS_S, exp: ENDS_S }, SECRET);
  const verdict = (text = token) => verify(`Bearer ${text}`).catch((error: unknown) => problemCode(error));

  beforeEach(() => (now_s = BEGINS_S));

  it('says the same again', async () => {
    const caller = { user_id: 'awa', name: null, scopes: ['a', 'b'] };
    expect([await verdict(), await verdict()]).to.deep.equal([caller, caller]);
  });

  it('still ends with its exp, and begins with its nbf, to the second', async () => {
    await verdict();
    now_s = ENDS_S - 1;
    expect(await verdict()).to.include({ user_id: 'awa' });
    now_s = ENDS_S;
    expect(await verdict()).to.equal('token_expired');
    now_s = BEGINS_S - 1;
    expect(await verdict()).to.equal('token_invalid');
  });

  it('speaks for no other one', async () => {
    await verdict();
    const [header = '', claims = '', signature = ''] = token.split('.');
    const asAda = Buffer.from(claims, 'base64url').toString().replace('awa', 'ada');
    const forged = [header, Buffer.from(asAda).toString('base64url'), signature].join('.');
    expect(await verdict(forged)).to.equal('token_invalid');
    expect(await verdict(forged)).to.equal('token_invalid');
    expect(await verdict(token.slice(0, -1))).to.equal('token_invalid');
  });

  it('is verified each time if it is too long to be remembered', async () => {
    const long = jwt.sign({ sub: 'awa', exp: ENDS_S, more: 'x'.repeat(4_000) }, SECRET);
    expect(await verdict(long)).to.include({ user_id: 'awa' });
    now_s = ENDS_S;
    expect(await verdict(long)).to.equal('token_expired');
  });
});
