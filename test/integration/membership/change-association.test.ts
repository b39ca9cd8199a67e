import { expect } from 'chai';
import { listPublicAssociations } from '../../../lib/contracts/membership.ts';
import { useAssociation } from '../../harness/membership.ts';
import { atOnce, outcomeOf, outcomesOf, refusalOf } from '../../harness/refusal.ts';
import { tagOf } from '../../harness/service-harness.ts';

describe('an association that is changed', () => {
  const harness = useAssociation();

  const updated = () => harness.events(harness.association_id, 'association.updated');
  const change = (user: string, body: object, if_match?: readonly string[] | '*') =>
    harness.changeAssociation(user, body, { if_match });

  it('has another name, description or visibility, all else as before, and an event with the new values', async () => {
    const before = await harness.show();
    const named = await change('host', { name: ' Njangi of Deido ' });
    expect(named).to.deep.equal({ ...before, name: 'Njangi of Deido' });
    const described = await change('host', { description: 'For stalls', is_public: false });
    expect(described).to.deep.equal({ ...named, description: 'For stalls', is_public: false });
    const emptied = await change('host', { description: '' });
    expect(emptied).to.deep.equal({ ...described, description: '' });
    expect(await harness.show()).to.deep.equal(emptied);
    expect((await updated()).map(({ data }) => data)).to.deep.equal([
      { name: 'Njangi of Deido', description: null, is_public: true },
      { name: 'Njangi of Deido', description: 'For stalls', is_public: false },
      { name: 'Njangi of Deido', description: '', is_public: false },
    ]);
  });

  it('has its metadata in its events, also in that of its closure', async () => {
    const metadata = { register: 'KE-117' };
    const { id } = await harness.found('founder', { metadata });
    harness.association_id = id;
    await change('founder', { name: 'Njangi of Akwa' });
    await harness.execute('closure', {});
    const closed = await harness.events(id, 'association.closed');
    expect([...(await updated()), ...closed].map(({ data }) => data.metadata)).to.deep.equal([metadata, metadata]);
  });

  it('is found in the directory by its new name and description only, and while it is public', async () => {
    const found = async (q: string) => {
      const { data } = await harness.as('reader', listPublicAssociations, { query: { q } as never });
      return data.some(({ id }) => id === harness.association_id);
    };
    await change('host', { name: 'Épargne', description: 'À Yaoundé' });
    expect([await found('epargne yaounde'), await found('market')]).to.deep.equal([true, false]);
    await change('host', { description: 'À Douala' });
    expect([await found('douala'), await found('yaounde')]).to.deep.equal([true, false]);
    await change('host', { is_public: false });
    expect(await found('douala')).to.equal(false);
    expect(await outcomeOf(harness.show('stranger'))).to.equal('not_found');
    expect(await outcomeOf(harness.join('stranger'))).to.equal('not_found');
    expect((await harness.show('awa')).name).to.equal('Épargne');
    await change('host', { is_public: true });
    expect(await found('douala')).to.equal(true);
  });

  it('has no event if nothing changes', async () => {
    const before = await harness.show();
    expect(await change('host', { name: before.name, is_public: before.is_public })).to.deep.equal(before);
    expect(await updated()).to.deep.equal([]);
  });

  it('is changed by president and secretary only, while it is not closed', async () => {
    for (const role of ['treasurer', 'secretary']) {
      const { id } = await harness.join(role);
      await harness.appoint(id, role);
    }
    expect((await change('secretary', { name: 'New' })).membership).to.include({ role: 'secretary' });
    for (const user of ['treasurer', 'awa']) {
      expect(await refusalOf(change(user, { name: 'Mine' }))).to.deep.equal({
        code: 'role_not_allowed',
        extras: { required_roles: ['president', 'secretary'] },
      });
    }
    expect(await outcomeOf(change('stranger', { name: 'Mine' })), 'although it is public').to.equal('not_found');
    await harness.close();
    expect(await outcomeOf(change('host', { name: 'Late' }))).to.equal('association_closed');
    expect((await harness.show()).name).to.equal('New');
  });

  it('needs a change that is valid, and no other field', async () => {
    for (const body of [{}, { name: ' ' }, { name: null }, { description: null }, { type: 'savings' }, { rules: {} }]) {
      expect(await outcomeOf(change('host', body)), JSON.stringify(body)).to.equal('VALIDATION_ERROR');
    }
  });

  it('keeps its answer for a repeat with the same key, which changes nothing', async () => {
    const once = await harness.changeAssociation('host', { name: 'Once' }, { key: 'k' });
    await change('host', { name: 'Twice' });
    const again = await harness.changeAssociation('host', { name: 'Once' }, { key: 'k', if_match: ['"other"'] });
    expect([again, harness.headOf(again).replayed]).to.deep.equal([once, true]);
    expect((await harness.show()).name).to.equal('Twice');
  });

  describe('with If-Match', () => {
    it('is changed only if it is as the caller has read it', async () => {
      const read = await harness.show();
      const changed = await change('host', { name: 'First' }, [tagOf(read)]);
      expect(await outcomeOf(change('host', { name: 'Second' }, [tagOf(read)]))).to.equal('precondition_failed');
      await change('host', { name: 'Third' }, ['"other"', tagOf(changed)]);
      await change('host', { name: 'Fourth' }, '*');
      for (const tags of [['"other"'], [`W/${tagOf(await harness.show())}`]]) {
        expect(await outcomeOf(change('host', { name: 'Fifth' }, tags))).to.equal('precondition_failed');
      }
      expect((await updated()).map(({ data }) => data.name)).to.deep.equal(['First', 'Third', 'Fourth']);
    });

    it('is changed if it is again as the caller has read it, and not if anything else in the answer has changed', async () => {
      const read = await harness.show();
      await change('host', { name: 'Other' });
      await change('host', { name: read.name });
      await change('host', { description: 'Described' }, [tagOf(read)]);
      const again = await harness.show();
      await harness.join('binta');
      expect(await outcomeOf(change('host', { name: 'N' }, [tagOf(again)]))).to.equal('precondition_failed');
    });

    it('has one tag for each caller, as each sees their own membership', async () => {
      expect(await outcomeOf(change('host', { name: 'N' }, [tagOf(await harness.show('awa'))]))).to.equal(
        'precondition_failed',
      );
    });

    it('is refused after the role, and before the association is closed', async () => {
      expect(await outcomeOf(change('stranger', { name: 'N' }, ['"other"']))).to.equal('not_found');
      expect(await outcomeOf(change('awa', { name: 'N' }, ['"other"']))).to.equal('role_not_allowed');
      await harness.close();
      expect(await outcomeOf(change('host', { name: 'N' }, ['"other"']))).to.equal('precondition_failed');
      const tag = tagOf(await harness.show());
      for (const tags of [[tag], '*'] as const) {
        expect(await outcomeOf(change('host', { name: 'N' }, tags))).to.equal('association_closed');
      }
    });

    it('is changed by one of several requests that have read the same', async () => {
      for (let round = 0; round < 5; round += 1) {
        const tag = tagOf(await harness.show());
        const names = Array.from({ length: 6 }, (_, n) => `Round ${String(round)}, ${String(n)}`);
        const outcomes = await outcomesOf(atOnce(names.length, (n) => change('host', { name: names[n] }, [tag])));
        expect(outcomes).to.deep.equal(['done', ...Array<string>(5).fill('precondition_failed')]);
        expect(names).to.include((await harness.show()).name);
      }
      expect(await updated()).to.have.length(5);
    });

    it('may be sent again with the same key after it was refused', async () => {
      const send = (if_match: readonly string[]) =>
        harness.changeAssociation('host', { name: 'Renamed' }, { key: 'again', if_match });
      expect(await outcomeOf(send(['"other"']))).to.equal('precondition_failed');
      expect((await send([tagOf(await harness.show())])).name).to.equal('Renamed');
    });
  });
});
