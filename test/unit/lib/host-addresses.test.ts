import { expect } from 'chai';
import type { LookupAddress } from 'node:dns';
import { rememberAddresses } from '../../../lib/db/host-addresses.ts';

const FIRST = [{ address: '10.0.0.1', family: 4 }];
const SECOND = [{ address: '10.0.0.2', family: 4 }];
const OPTIONS = { all: true };

/** Returns the lookup, of which each question gets the next answer. */
function answering(...answers: Promise<LookupAddress[]>[]) {
  const asked: string[] = [];
  const addressesOf = rememberAddresses((host) => {
    asked.push(host);
    return answers[asked.length - 1]!;
  });
  return { asked, find: (host = 'postgres') => addressesOf(host, OPTIONS) };
}

const notFound = () => Promise.reject(Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' }));
const unanswered = () => new Promise<never>(() => undefined);

describe('addresses of a database host', () => {
  it('are asked for each time, so that a host may move', async () => {
    const { find } = answering(Promise.resolve(FIRST), Promise.resolve(SECOND));
    expect(await find()).to.equal(FIRST);
    expect(await find()).to.equal(SECOND);
  });

  it('are the last ones while DNS does not know the host', async () => {
    const { find } = answering(Promise.resolve(FIRST), notFound(), Promise.resolve(SECOND));
    await find();
    expect(await find()).to.equal(FIRST);
    expect(await find()).to.equal(SECOND);
  });

  it('are the last ones while DNS does not answer, and it is not asked again meanwhile', async () => {
    const { find, asked } = answering(Promise.resolve(FIRST), unanswered());
    await find();
    expect(await Promise.all([find(), find()])).to.deep.equal([FIRST, FIRST]);
    expect(await find()).to.equal(FIRST);
    expect(asked).to.have.length(2);
  });

  it('are not those of another host', async () => {
    const { find, asked } = answering(Promise.resolve(FIRST), Promise.resolve(SECOND));
    expect(await find('one')).to.equal(FIRST);
    expect(await find('other')).to.equal(SECOND);
    expect(asked).to.deep.equal(['one', 'other']);
  });

  it('are not found if DNS has never known the host', async () => {
    const { find } = answering(notFound(), Promise.resolve(FIRST));
    const error = await find().catch((each: unknown) => each);
    expect(error).to.have.property('code', 'ENOTFOUND');
    expect(await find()).to.equal(FIRST);
  });
});
