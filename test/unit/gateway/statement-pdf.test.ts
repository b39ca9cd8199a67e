import { expect } from 'chai';
import { extractText, getDocumentProxy } from 'unpdf';
import type { Statement } from '../../../lib/contracts/treasury.ts';
import type { Language } from '../../../lib/language/languages.ts';
import { statementPdf } from '../../../services/gateway/statements/pdf/document.ts';
import { toPrintable, visualRuns } from '../../../services/gateway/statements/pdf/bidi.rules.ts';
import { movement, movements, statementOf, written } from '../../harness/statement.ts';

/** Returns the text of each page in reading order, with plain spaces. */
async function pagesOf(statement: Statement, language: Language): Promise<string[]> {
  const bytes = await written(statementPdf(statement, language));
  const { text } = await extractText(await getDocumentProxy(new Uint8Array(bytes)), { mergePages: false });
  return text.map((page) => page.replace(/\s+/g, ' '));
}

const FIVE = statementOf(movements(5));

describe('a statement as PDF', () => {
  it('shows in English the member, the period, the balances, the movements and how to verify them', async () => {
    const [page = '', ...more] = await pagesOf(FIVE, 'en');
    expect(more).to.deep.equal([]);
    for (const said of [
      'Njangi of the five',
      'Statement of account',
      'Awa Ndoumbé',
      FIVE.member.id,
      '1 September 2026 to 30 September 2026',
      '1 October 2026, 09:15 UTC',
      'Opening balance XAF 0',
      'Closing balance XAF 10,000',
      'Paid in XAF 40,000',
      'Paid out XAF 30,000',
      '1 Jan 2026 1 Contribution Wallet 10,000 10,000',
      '4 Jan 2026 4 Payout of a meeting Wallet 30,000 0',
      'node verify-ledger.mjs ledger.ndjson',
      'Transfer no. 57',
      FIVE.ledger_head.hash,
      'Page 1 of 1',
    ]) {
      expect(page).to.contain(said);
    }
  });

  it('shows in French the period, the balances and the movements', async () => {
    const [page = ''] = await pagesOf({ ...FIVE, from: null, currency: 'EUR' }, 'fr');
    for (const said of [
      'Relevé de compte',
      'Du début au 30 septembre 2026',
      '1er octobre 2026, 09:15 UTC',
      'Solde d’ouverture 0,00 EUR',
      'Solde de clôture 10 000,00 EUR',
      '01/01/2026 1 Cotisation Portefeuille 10 000,00 10 000,00',
      '04/01/2026 4 Versement d’une réunion Portefeuille 30 000,00 0,00',
      'transfert n° 57',
      FIVE.ledger_head.hash,
      'Page 1 sur 1',
    ]) {
      expect(page).to.contain(said);
    }
  });

  it('shows the arrears with their rounds, and the meeting of each movement', async () => {
    const round = { id: FIVE.member.id, round: 1, title: null, due_on: '2026-08-01' };
    const titled = { id: FIVE.member.id, round: null, title: 'قرعة', due_on: '2026-08-15' };
    const since = '2026-08-02T08:00:00.000Z';
    const owing = statementOf([movement({ meeting: round }), movement({ meeting: titled, seq: 2 })], {
      owes: 2_000,
      is_owed: 500,
      arrears: [{ meeting: round, owes: 2_000, is_owed: 500, since }],
    });
    const [english = ''] = await pagesOf(owing, 'en');
    for (const said of [
      'still owed from settled rounds',
      'Owes in arrears XAF 2,000',
      'Is owed in arrears XAF 500',
      'Owes XAF 2,000; Is owed XAF 500: Round 1, 1 Aug 2026',
      'Contribution Round 1, 1 Aug 2026 Wallet',
      'Contribution Meeting, 15 Aug 2026, قرعة Wallet',
    ]) {
      expect(english).to.contain(said);
    }
    const many = { ...owing, arrears: Array.from({ length: 15 }, () => owing.arrears[0]!) };
    const [french = ''] = await pagesOf(many, 'fr');
    for (const said of [
      'Doit en arriérés 2 000 XAF',
      'Arriérés à recevoir 500 XAF',
      'Tour 1, 01/08/2026',
      'autres tours : 3',
    ]) {
      expect(french).to.contain(said);
    }
  });

  it('repeats the table header on each page, numbers the pages, and shows every movement once', async () => {
    const pages = await pagesOf(statementOf(movements(200)), 'en');
    expect(pages.length).to.be.greaterThan(4);
    pages.forEach((page, index) => {
      expect(page).to.contain('Date No. Movement Method Paid in Paid out Balance');
      expect(page).to.contain(`Page ${String(index + 1)} of ${String(pages.length)}`);
    });
    const numbers = pages.flatMap((page) =>
      [...page.matchAll(/\d{4} (\d+) (?:Contribution|Payout)/g)].map((match) => Number(match[1])),
    );
    expect(numbers).to.deep.equal(Array.from({ length: 200 }, (_, index) => index + 1));
    expect(pages.filter((page) => page.includes('How to verify'))).to.deep.equal([pages.at(-1)]);
  });

  it('never ends with a page that has no row of the table, for 14 to 44 movements', async () => {
    for (let count = 14; count <= 44; count += 1) {
      const last = (await pagesOf(statementOf(movements(count)), 'en')).at(-1) ?? '';
      expect([count, last.includes('Closing balance'), last.includes('How to verify')]).to.deep.equal([
        count,
        true,
        true,
      ]);
    }
  });

  it('has the same bytes for the same statement', async () => {
    const first = await written(statementPdf(FIVE, 'fr'));
    const second = await written(statementPdf(FIVE, 'fr'));
    expect(first.equals(second)).to.equal(true);
  });

  it('shows names in any script, and a box for each character that the font lacks', async () => {
    const named = { ...FIVE, member: { ...FIVE.member, display_name: 'Ŋgɔ̀ŋ Ƙwai Жанна ߒߞߏ' } };
    expect((await pagesOf(named, 'en'))[0]).to.contain('Ŋgɔ̀ŋ Ƙwai Жанна');
    const lacking = { ...FIVE, member: { ...FIVE.member, display_name: '王 አበበ' } };
    expect((await pagesOf(lacking, 'en'))[0]).to.contain('□ □□□');
  });

  it('shows the longest possible texts and amounts completely', async () => {
    const most = 9_999_999_999_999.99;
    const odd = ['x'.repeat(500), 'word '.repeat(99), '😀'.repeat(250), '\u202Eabc\n\u0007', ' ', 'محمد '.repeat(99)];
    const rows = odd.map((reference) => movement({ reference, amount: -most, balance_after: -most, seq: 999_999_999 }));
    const name = 'Association '.repeat(10).trim();
    const statement = statementOf(rows, { currency: 'EUR', opening_balance: most, paid_out: most });
    const pages = await pagesOf({ ...statement, association: { ...statement.association, name } }, 'fr');
    const text = pages.join(' ');
    expect([...text.matchAll(/x{10,}/g)].reduce((sum, [xs]) => sum + xs.length, 0)).to.equal(500);
    expect([...text.matchAll(/999999999\b/g)].length).to.equal(odd.length);
    expect([...text.matchAll(/-9 999 999 999 999,99/g)].length).to.be.greaterThan(odd.length);
    expect(text).to.contain('abc');
  });

  it('states that there are no movements, and that the ledger holds no transfers', async () => {
    const [page = ''] = await pagesOf(statementOf([], { ledger_head: { seq: 0, hash: '0'.repeat(64) } }), 'en');
    expect(page).to.contain('There are no movements in this period.').and.contain('holds no transfers yet');
  });
});

describe('a line of text in a PDF', () => {
  it('is divided into runs in visual order, from left to right', () => {
    for (const [line, ...runs] of [
      ['Awa (2026)', 'Awa (2026)'],
      // A line whose first letter is Arabic begins at the right; numbers are still written from left to right.
      ['محمد 2026', '2026', 'محمد '],
      // Brackets are mirrored with the letters around them.
      ['(محمد)', ')محمد('],
      ['אב (x) גד', '( גד', 'x', 'אב )'],
    ] as const) {
      expect(visualRuns(line).map(({ text }) => text)).to.deep.equal(runs);
    }
  });

  it('has no control characters that could reverse the text next to them', () => {
    expect(toPrintable('a\u202Eb\u2066c\nd\u0000')).to.equal('a b c d');
  });
});
