import { expect } from 'chai';
import { falseNotFound } from '../../faults/refusals.ts';
import type { World } from '../../faults/world.ts';

const person = { client: { user: 'ada' } };
const other = { client: { user: 'ben' } };

function refusals({ body = {}, status = 404, sender = person, lasting = ['a ada'] }): string[] {
  const outcome = { request: { method: 'POST', path: '/associations/a/meetings/m/contribute', body }, status };
  const groups = [{ id: 'a', path: '/associations/a', members: [{ person, member_id: 'm1' }] }];
  return falseNotFound({ written: [{ person: sender, outcome }], groups } as unknown as World, new Set(lasting));
}

describe('the check of false refusals in a chaos run', () => {
  it('notices that a member is told that what they have seen does not exist', () => {
    expect(refusals({})).to.have.lengthOf(1);
  });

  it('accepts other answers, and refusals of those who have left or never were members', () => {
    expect(refusals({ status: 403 })).to.deep.equal([]);
    expect(refusals({ lasting: [] })).to.deep.equal([]);
    expect(refusals({ sender: other, lasting: ['a ben'] })).to.deep.equal([]);
  });

  it('accepts the refusal of a request that names another member, who may have left', () => {
    expect(refusals({ body: { for_member_id: 'm2' } })).to.deep.equal([]);
    expect(refusals({ body: { type: 'expulsion', payload: { member_id: 'm2' } } })).to.deep.equal([]);
  });
});
