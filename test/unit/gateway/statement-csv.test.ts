import { expect } from 'chai';
import fc from 'fast-check';
import type { Statement } from '../../../lib/contracts/treasury.ts';
import type { Language } from '../../../lib/language/languages.ts';
import { statementCsv } from '../../../services/gateway/statements/csv.ts';
import { statementFileName } from '../../../services/gateway/statements/file-name.ts';
import { movement, movements, statementOf, written } from '../../support/statement.ts';

const HASH = 'a'.repeat(64);
const TRANSFER = '0192f0c0-0000-7000-8000-000000000001';

async function linesOf(statement: Statement, language: Language): Promise<string[]> {
  const text = (await written(statementCsv(statement, language))).toString();
  expect(text.startsWith('\uFEFF'), 'a byte order mark').to.equal(true);
  expect(text.endsWith('\r\n')).to.equal(true);
  return text.slice(1, -2).split('\r\n');
}

/** Reads one record as RFC 4180 says. */
function cellsOf(record: string, separator: string): string[] {
  const cells = record.matchAll(new RegExp(`(?:^|${separator})(?:"((?:[^"]|"")*)"|([^${separator}"]*))`, 'g'));
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

  it('reads as English write, with commas between fields', async () => {
    expect(await linesOf(euros, 'en')).to.deep.equal([
      'Date,Movement,Reference,Method,Paid in,Paid out,Balance,Transfer,Hash',
      '1 Sep 2026,Opening balance,,,,,0.00,,',
      `1 Sep 2026,Contribution,,Wallet,1234.50,,1234.50,${TRANSFER},${HASH}`,
      `1 Sep 2026,Payout of a meeting,"Round 2, ""late""",Cash,,2000.00,-765.50,${TRANSFER},${HASH}`,
      '30 Sep 2026,Closing balance,,,1234.50,2000.00,-765.50,,',
    ]);
  });

  it('reads as French write, with semicolons, since the comma is the decimal mark', async () => {
    expect(await linesOf(euros, 'fr')).to.deep.equal([
      'Date;Opération;Référence;Moyen;Versé;Reçu;Solde;Transfert;Empreinte',
      '01/09/2026;Solde d’ouverture;;;;;0,00;;',
      `01/09/2026;Cotisation;;Portefeuille;1234,50;;1234,50;${TRANSFER};${HASH}`,
      `01/09/2026;Versement d’une réunion;"Round 2, ""late""";Espèces;;2000,00;-765,50;${TRANSFER};${HASH}`,
      '30/09/2026;Solde de clôture;;;1234,50;2000,00;-765,50;;',
    ]);
  });

  it("has the currency's decimals, neither more nor fewer", async () => {
    const [, , line = ''] = await linesOf(
      statementOf([movement({ amount: 1, balance_after: 1 })], { currency: 'TND' }),
      'en',
    );
    expect(line).to.contain(',1.000,,1.000,');
  });

  it('shows the largest amounts exactly', async () => {
    const most = statementOf([movement({ amount: 9_999_999_999_999.99, balance_after: 9_999_999_999_999.99 })], {
      currency: 'EUR',
    });
    expect((await linesOf(most, 'en'))[2]).to.contain(',9999999999999.99,,9999999999999.99,');
  });

  it('tells arrears that were paid from those that were received', async () => {
    const both = statementOf([
      movement({ kind: 'arrears_payment', amount: 5, balance_after: 5 }),
      movement({ kind: 'arrears_payment', amount: -5, balance_after: 0 }),
    ]);
    const kinds = (await linesOf(both, 'en')).map((line) => line.split(',')[1]);
    expect(kinds.slice(2, 4)).to.deep.equal(['Arrears paid', 'Arrears received']);
  });

  it('takes the first day as unknown and the last as that of its making where no period was asked for', async () => {
    const lines = await linesOf(statementOf([], { from: null, to: null }), 'en');
    expect(lines.slice(1)).to.deep.equal([',Opening balance,,,,,0,,', '1 Oct 2026,Closing balance,,,0,0,0,,']);
  });

  it("lets no text of people's own become a formula", async () => {
    for (const begin of ['=', '+', '-', '@', '\t', '\r', '＝']) {
      const [, , ...rest] = await linesOf(statementOf([movement({ reference: `${begin}HYPERLINK("x")` })]), 'en');
      expect(cellsOf(rest.slice(0, -1).join('\r\n'), ',')[2]).to.equal(`'${begin}HYPERLINK("x")`);
    }
  });

  it('keeps every reference whole, whatever signs it holds', async () => {
    const harmless = fc.string({ unit: 'grapheme' }).filter((text) => !/^[=+\-@\s＝＋－＠]/.test(text));
    await fc.assert(
      fc.asyncProperty(harmless, fc.constantFrom('en', 'fr'), async (reference, language) => {
        const [, , ...rest] = await linesOf(statementOf([movement({ reference })]), language);
        expect(cellsOf(rest.slice(0, -1).join('\r\n'), language === 'en' ? ',' : ';')[2]).to.equal(reference);
      }),
      { numRuns: 200 },
    );
  });

  it('has a line for each of thousands of movements', async () => {
    const lines = await linesOf(statementOf(movements(2_345)), 'fr');
    expect(lines.length).to.equal(2_345 + 3);
    expect(new Set(lines.map((line) => line.split(';').length))).to.deep.equal(new Set([9]));
  });
});

describe("a statement's file name", () => {
  it('says whose it is and of when, in plain letters', () => {
    const statement = statementOf([]);
    expect(statementFileName(statement, 'en', 'text/csv')).to.equal(
      'statement-njangi-of-the-five-awa-ndoumbe-2026-09-01-2026-09-30.csv',
    );
    expect(statementFileName({ ...statement, from: null, to: null }, 'fr', 'application/pdf')).to.equal(
      'releve-njangi-of-the-five-awa-ndoumbe-2026-10-01.pdf',
    );
  });

  it('never holds what a header or a shell would read otherwise', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (name, display_name) => {
        const statement = statementOf([]);
        const named = {
          ...statement,
          association: { ...statement.association, name },
          member: { ...statement.member, display_name },
        };
        expect(statementFileName(named, 'en', 'text/csv')).to.match(/^statement-[a-z0-9-]+\.csv$/);
      }),
    );
  });
});
