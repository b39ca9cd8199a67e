import { expect } from 'chai';
import { searchText, searchWords } from '../../../services/membership/associations/search-text.rules.ts';

describe('the search text of an association', () => {
  it('has no letter case and no accents', () => {
    expect(searchText('Épargne des Mères', 'À Yaoundé')).to.equal('epargne des meres\na yaounde');
    expect(searchText('E\u0301pargne', null)).to.equal('epargne');
    expect(searchText('ﬁn İzmir', null)).to.equal('fin izmir');
  });

  it('is searched for the distinct words of a search, in sorted order', () => {
    expect(searchWords('  Mères   de\tÉpargne de ')).to.deep.equal(['de', 'epargne', 'meres']);
    expect(searchWords('\u0301')).to.deep.equal([]);
  });

  it('contains every word of its name, regardless of letter case and Unicode form', () => {
    for (const name of ['Njangi', 'Çà et là', '100 % solidaire', 'a_b', 'ÅNGSTRÖM', 'Тонтина']) {
      for (const spelt of [name, name.toLowerCase(), name.toUpperCase(), name.normalize('NFD')]) {
        for (const word of searchWords(spelt)) expect(searchText(name, null)).to.contain(word);
      }
    }
  });
});
