import { expect } from 'chai';
import { problemCode, problemExtras } from '../../../lib/errors/problem.ts';
import { statementFormat } from '../../../services/gateway/statements/formats.rules.ts';

describe('the format of a statement', () => {
  const given: [accept: string | undefined, format: string][] = [
    [undefined, 'application/json'],
    ['', 'application/json'],
    ['*/*', 'application/json'],
    ['application/*', 'application/json'],
    ['text/*', 'text/csv'],
    ['text/csv', 'text/csv'],
    ['TEXT/CSV; charset=UTF-8', 'text/csv'],
    ['application/json; charset=utf-8', 'application/json'],
    ['application/pdf', 'application/pdf'],
    ['text/html, application/pdf;q=0.9, */*;q=0.1', 'application/pdf'],
    ['text/csv;q=0.5, application/pdf;q=0.8', 'application/pdf'],
    ['application/json;q=0, */*', 'text/csv'],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'application/json'],
    ['text/csv, application/pdf', 'text/csv'],
  ];
  for (const [accept, format] of given) {
    it(`is ${format} for ${accept ?? 'no header'}`, () => {
      expect(statementFormat(accept)).to.equal(format);
    });
  }

  it('is refused where none is acceptable, naming those that are', () => {
    for (const accept of ['text/html', 'image/*', '*/*;q=0', 'text/csv;q=0', 'nonsense']) {
      try {
        statementFormat(accept);
        expect.fail(`${accept} was taken`);
      } catch (error) {
        expect(problemCode(error)).to.equal('not_acceptable');
        expect(problemExtras(error)).to.deep.equal({ available: ['application/json', 'text/csv', 'application/pdf'] });
      }
    }
  });
});
