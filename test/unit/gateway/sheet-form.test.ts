import { expect } from 'chai';
import { extractText, getDocumentProxy } from 'unpdf';
import type { MeetingForm } from '../../../lib/contracts/contribution.ts';
import type { Language } from '../../../lib/language/languages.ts';
import { sheetPdf } from '../../../services/gateway/sheets/sheet-form.ts';

/** A sheet for so many members, each with another name. */
function formOf(members: number, more: Partial<MeetingForm> = {}): MeetingForm {
  return {
    association: { id: '0192f0c0-0000-7000-8000-00000000000a', name: 'Njangi of the five' },
    currency: 'XAF',
    time_zone: 'Africa/Douala',
    meeting: { id: '0192f0c0-0000-7000-8000-00000000000b', round: 3, title: null, due_on: '2026-10-05' },
    lines: Array.from({ length: members }, (_, index) => ({
      member_id: '0192f0c0-0000-7000-8000-00000000000c',
      display_name: `Member ${String(index + 1)}`,
      outstanding: 10_000,
      arrears: index === 0 ? 2_500 : 0,
      fines: index === 1 ? 300 : 0,
    })),
    made_at: '2026-10-05T08:30:00.000Z',
    ...more,
  };
}

async function textOf(form: MeetingForm, language: Language = 'en'): Promise<string[]> {
  const document = await getDocumentProxy(new Uint8Array(await sheetPdf(form, language)));
  return (await extractText(document)).text;
}

describe('the printed sheet of a meeting', () => {
  it('has 25 members on one page, with what they owe and the lines to fill in', async () => {
    const [page = '', ...more] = await textOf(formOf(25));
    expect(more).to.deep.equal([]);
    const expected = ['Njangi of the five', 'Round 3, 5 October 2026', '09:30 Africa/Douala', 'Member 1', 'Member 25'];
    const labels = ['10,000', '2,500', '300', 'Counted cash', 'Difference', 'President', 'Treasurer', 'Secretary'];
    for (const text of [...expected, ...labels]) expect(page).to.contain(text);
  });

  it('goes on on further pages, with the signatures on the last', async () => {
    const pages = await textOf(formOf(26));
    expect(pages).to.have.length(2);
    expect(pages[0]).to.contain('Page 1 of 2').and.not.contain('Counted cash');
    expect(pages[1]).to.contain('Member 26').and.contain('Counted cash');
    expect(await textOf(formOf(0))).to.have.length(1);
  });

  it('is in French for readers of French', async () => {
    const [page] = await textOf(formOf(2), 'fr');
    for (const text of ['Feuille de réunion', 'Tour 3, 5 octobre 2026', 'Arriérés', 'Espèces comptées', 'Trésorier']) {
      expect(page).to.contain(text);
    }
  });

  it('is the same for the same data, and shortens names that do not fit', async () => {
    const long = formOf(1, { meeting: { ...formOf(1).meeting, title: 'T'.repeat(200) } });
    long.lines[0]!.display_name = 'N'.repeat(120);
    expect(await sheetPdf(long, 'en')).to.deep.equal(await sheetPdf(long, 'en'));
    expect((await textOf(long))[0]).to.contain('NNN…');
  });
});
