import { expect } from 'chai';
import { parse } from 'content-disposition';
import fc from 'fast-check';
import type { Statement } from '../../../lib/contracts/treasury.ts';
import type { Language } from '../../../lib/language/languages.ts';
import { problemCode, problemExtras } from '../../../lib/errors/problem.ts';
import { statementFormat } from '../../../services/gateway/statements/answer-statement.ts';
import { statementCsv } from '../../../services/gateway/statements/csv.view.ts';
import { statementDisposition } from '../../../services/gateway/statements/file-name.view.ts';
import { movement, movements, statementOf, written } from '../../harness/statement.ts';

const HASH = 'a'.repeat(64);
const MEETING = '0192f0c0-0000-7000-8000-000000000002';
/** Indexes of these columns. */
const TITLE = 5;
const REFERENCE = 6;
const TRANSFER = '0192f0c0-0000-7000-8000-000000000001';

async function linesOf(statement: Statement, language: Language): Promise<string[]> {
  const text = (await written(statementCsv(statement, language))).toString();
  expect(text.startsWith('\uFEFF'), 'a byte order mark').to.equal(true);
  expect(text.endsWith('\r\n')).to.equal(true);
  return text.slice(1, -2).split('\r\n');
}

/** Reads the cells of a record (RFC 4180). */
function cellsOf(record: string): string[] {
  const cells = record.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,"]*))/g);
  return [...cells].map(([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? '');
}

describe('a statement as CSV', () => {
  const euros = statementOf(
    [
      movement({ amount: 1234.5, balance_after: 1234.5 }),
      movement({
        kind: 'settlement',
        method: 'cash',
        amount: -2000,
        balance_after: -765.5,
        reference: 'Round 2, "late"',
      }),
    ],
    { currency: 'EUR' },
  );

  const HEADERS = {
    en: 'Date,Currency,Movement,Round,Meeting day,Meeting title,Reference,Method,Paid in,Paid out,Balance,Owes in arrears,Is owed in arrears,Meeting,Transfer,Hash',
    fr: 'Date,Devise,Opération,Tour,Jour de la réunion,Titre de la réunion,Référence,Moyen,Versé,Reçu,Solde,Doit en arriérés,Arriérés à recevoir,Réunion,Transfert,Empreinte',
  };

  for (const language of ['en', 'fr'] as const) {
    it(`has commas, decimal points and ISO days in every language, and a header in the language ${language}`, async () => {
      const meeting = { id: MEETING, round: 3, title: null, due_on: '2026-09-01' };
      const shown = {
        ...euros,
        movements: euros.movements.map((each, index) => (index === 0 ? { ...each, meeting } : each)),
        owes: 2000.5,
        is_owed: 0,
        arrears: [{ meeting, owes: 2000.5, is_owed: 0, since: '2026-09-02T08:00:00.000Z' }],
      };
      expect(await linesOf(shown, language)).to.deep.equal([
        HEADERS[language],
        '2026-09-01,EUR,opening_balance,,,,,,,,0.00,,,,,',
        `2026-09-01,EUR,contribution,3,2026-09-01,,,wallet,1234.50,,1234.50,,,${MEETING},${TRANSFER},${HASH}`,
        `2026-09-01,EUR,settlement,,,,"Round 2, ""late""",cash,,2000.00,-765.50,,,,${TRANSFER},${HASH}`,
        `2026-09-02,EUR,arrears,3,2026-09-01,,,,,,,2000.50,,${MEETING},,`,
        '2026-09-30,EUR,closing_balance,,,,,,1234.50,2000.00,-765.50,2000.50,0.00,,,',
      ]);
    });
  }

  it('has the decimals of the currency, and shows the largest amounts exactly', async () => {
    for (const [currency, amount, cells] of [
      ['XAF', 1, ',1,,1,'],
      ['TND', 1, ',1.000,,1.000,'],
      ['EUR', 9_999_999_999_999.99, ',9999999999999.99,,9999999999999.99,'],
    ] as const) {
      const [, , line] = await linesOf(statementOf([movement({ amount, balance_after: amount })], { currency }), 'en');
      expect(line).to.contain(`,${currency},`).and.contain(cells);
    }
  });

  it('has no first day, and the day of the request as last day, if no period was requested', async () => {
    const lines = await linesOf(statementOf([], { from: null, to: null }), 'en');
    expect(lines.slice(1)).to.deep.equal([
      ',XAF,opening_balance,,,,,,,,0,,,,,',
      '2026-10-01,XAF,closing_balance,,,,,,0,0,0,0,0,,,',
    ]);
  });

  it('marks user texts that a spreadsheet would read as formulas', async () => {
    for (const begin of ['=', '+', '-', '@', '\t', '\r', '＝']) {
      const text = `${begin}HYPERLINK("x")`;
      const meeting = { id: MEETING, round: null, title: text, due_on: '2026-09-01' };
      const [, , ...rest] = await linesOf(statementOf([movement({ reference: text, meeting })]), 'en');
      const cells = cellsOf(rest.slice(0, -1).join('\r\n'));
      expect([cells[TITLE], cells[REFERENCE]]).to.deep.equal([`'${text}`, `'${text}`]);
    }
  });

  it('keeps every reference unchanged, regardless of its characters', async () => {
    const harmless = fc.string({ unit: 'grapheme' }).filter((text) => !/^[=+\-@\s＝＋－＠]/.test(text));
    await fc.assert(
      fc.asyncProperty(harmless, fc.constantFrom('en', 'fr'), async (reference, language) => {
        const [, , ...rest] = await linesOf(statementOf([movement({ reference })]), language);
        expect(cellsOf(rest.slice(0, -1).join('\r\n'))[REFERENCE]).to.equal(reference);
      }),
      { numRuns: 200 },
    );
  });

  it('has one line for each of thousands of movements', async () => {
    const lines = await linesOf(statementOf(movements(2_345)), 'fr');
    expect(lines.length).to.equal(2_345 + 3);
    expect(new Set(lines.map((line) => line.split(',').length))).to.deep.equal(new Set([16]));
  });
});

describe("a statement's file name", () => {
  const named = (name: string, display_name: string): Statement => {
    const statement = statementOf([]);
    return {
      ...statement,
      association: { ...statement.association, name },
      member: { ...statement.member, display_name },
    };
  };

  it('has the association, the member and the period, with an ASCII form for old clients', () => {
    const statement = statementOf([]);
    const { parameters } = parse(statementDisposition(statement, 'en', 'csv'));
    expect(parameters.filename).to.equal(
      'Statement of account Njangi of the five Awa Ndoumbé 2026-09-01 2026-09-30.csv',
    );
    expect(statementDisposition({ ...statement, from: null, to: null }, 'fr', 'pdf')).to.equal(
      'attachment; filename="releve-njangi-of-the-five-awa-ndoumbe-2026-10-01.pdf"; ' +
        "filename*=UTF-8''Relev%C3%A9%20de%20compte%20Njangi%20of%20the%20five%20Awa%20Ndoumb%C3%A9%202026-10-01.pdf",
    );
  });

  it('keeps names in any script', () => {
    const header = statementDisposition(named('جمعية الخمسة', 'محمد أمين'), 'fr', 'csv');
    expect(header).to.match(/^attachment; filename="releve-2026-09-01-2026-09-30\.csv"; filename\*=UTF-8''[\w.%-]+$/);
    expect(parse(header).parameters.filename).to.equal(
      'Relevé de compte جمعية الخمسة محمد أمين 2026-09-01 2026-09-30.csv',
    );
  });

  it('never contains special characters of headers, shells or file systems, and is never too long', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({ maxLength: 120 }),
      fc.constant('../"a:b*\u202Ec\r\n'),
    );
    fc.assert(
      fc.property(text, text, (name, display_name) => {
        const header = statementDisposition(named(name, display_name), 'en', 'csv');
        expect(header).to.match(/^attachment; filename="statement-[a-z0-9-]+\.csv"; filename\*=UTF-8''[\x21-\x7e]+$/);
        const { filename = '' } = parse(header).parameters;
        expect(filename).to.match(/^Statement of account [^\p{C}/\\:*?"<>|]*2026-09-30\.csv$/u);
        expect(Array.from(filename).length).to.be.below(120);
      }),
    );
  });
});

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

  it('is refused with the available formats if none of them is accepted', () => {
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
