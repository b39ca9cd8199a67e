import { expect } from 'chai';
import { listPublicAssociations, type Association } from '../../../lib/contracts/membership.ts';
import { useMembership } from '../../harness/membership.ts';
import { complaintOf, outcomeOf } from '../../harness/refusal.ts';

describe('the public directory', () => {
  const harness = useMembership();
  beforeEach(() => harness.sql('UPDATE associations SET is_public = false'));

  // As over HTTP, queries are untyped and omit the fields that have defaults.
  const read = (query: object = {}, user = 'reader') =>
    harness.as(user, listPublicAssociations, { query: query as never });
  const namesFor = async (query: object = {}) => (await read(query)).data.map(({ name }) => name);
  const found = (name: string, given: object = {}) => harness.found('founder', { name, ...given });

  it('shows active public associations to all users, newest first', async () => {
    await found('First');
    await found('Hidden', { is_public: false });
    await harness.close((await found('Closed')).id);
    await found('Last');
    expect(await namesFor()).to.deep.equal(['Last', 'First']);
  });

  it('shows their membership only to active members', async () => {
    const { id } = await found('Ours');
    await harness.join('awa', id, 3);
    const shownTo = async (user: string) => (await read({}, user)).data[0];
    expect((await shownTo('awa'))?.membership).to.include({ role: 'member', status: 'active', hands: 3 });
    expect(await shownTo('awa')).to.deep.equal(await harness.show('awa', id));
    await harness.leave('awa', id);
    expect(await shownTo('awa')).to.not.have.property('membership');
    expect(await shownTo('stranger')).to.not.have.property('membership');
  });

  it('finds words and parts of words in name or description, ignoring letter case and accents', async () => {
    await found('Épargne des Mères', { description: 'À Yaoundé, depuis 1998' });
    await found('Mères de Douala');
    for (const q of ['EPARGNE', 'mere yaounde', 'ére pargn', '199 épar']) {
      expect(await namesFor({ q }), q).to.deep.equal(['Épargne des Mères']);
    }
    expect(await namesFor({ q: 'mères' })).to.deep.equal(['Mères de Douala', 'Épargne des Mères']);
    // A word must be in the name or in the description, and every word must be found.
    expect(await namesFor({ q: 'meresà' })).to.deep.equal([]);
    expect(await namesFor({ q: 'mères lagos' })).to.deep.equal([]);
  });

  it('treats wildcards and backslashes as ordinary characters', async () => {
    const names = ['100 % solidaire', 'a_b', String.raw`back\slash`];
    for (const name of [...names, 'plain']) await found(name);
    for (const [index, q] of ['%', '_', '\\'].entries()) expect(await namesFor({ q })).to.deep.equal([names[index]]);
    expect(await namesFor({ q: "'; DROP TABLE associations; --" })).to.deep.equal([]);
  });

  it('filters by type, currency and frequency, in any letter case', async () => {
    await found('Weekly savings', { type: 'savings', currency: 'EUR', contribution_frequency: 'weekly' });
    await found('Monthly tontine');
    expect(await namesFor({ type: 'Savings' })).to.deep.equal(['Weekly savings']);
    expect(await namesFor({ currency: 'xaf' })).to.deep.equal(['Monthly tontine']);
    expect(await namesFor({ contribution_frequency: 'WEEKLY', currency: 'eur', q: 'savings' })).to.have.length(1);
    expect(await namesFor({ contribution_frequency: 'weekly', currency: 'xaf' })).to.deep.equal([]);
    expect(await outcomeOf(read({ type: 'club' }))).to.equal('VALIDATION_ERROR');
  });

  it('binds a cursor to its filters, but not to its reader', async () => {
    for (const name of ['One', 'Two', 'Three']) await found(`Épargne ${name}`);
    const { next_cursor } = await read({ q: 'Épargne', limit: 2 });
    expect((await read({ q: 'epargne', limit: 2, cursor: next_cursor }, 'another')).data).to.have.length(1);
    for (const query of [{}, { q: 'parg' }, { q: 'Épargne', type: 'tontine' }]) {
      const complaint = await complaintOf(read({ ...query, cursor: next_cursor }));
      expect(complaint).to.deep.equal(['validation_failed', 'cursor']);
    }
  });

  it('pages through all existing associations exactly once while others are founded', async () => {
    // All have the same creation time, so that only the id orders them.
    const [instant] = await harness.sql<{ now: Date }>('SELECT date_trunc($1, now()) AS now', 'milliseconds');
    const present: string[] = [];
    for (let n = 0; n < 23; n += 1) present.push((await found(`Present ${String(n)}`)).id);
    await harness.sql(`UPDATE associations SET created_at = $1 WHERE is_public`, instant?.now);

    const seen: Association[] = [];
    let cursor: string | null = null;
    let pages = 0;
    do {
      const creating = Promise.all([found('Newcomer'), found('Another newcomer')]);
      const page: Awaited<ReturnType<typeof read>> = await read({ limit: 4, ...(cursor === null ? {} : { cursor }) });
      seen.push(...page.data);
      cursor = page.next_cursor;
      pages += 1;
      await creating;
    } while (cursor !== null);
    const ids = seen.map(({ id }) => id);
    expect(new Set(ids).size).to.equal(ids.length);
    expect(ids).to.include.members(present);
    expect(pages).to.be.at.least(6);
  });
});
