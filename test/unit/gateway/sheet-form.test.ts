import { expect } from 'chai';
import { extractText, getDocumentProxy } from 'unpdf';
import type { MeetingForm, Minutes } from '../../../lib/contracts/contribution.ts';
import type { Language } from '../../../lib/language/languages.ts';
import { sheetPdf } from '../../../services/gateway/printed-sheets/document.ts';
import { formTexts } from '../../../services/gateway/printed-sheets/form.view.ts';
import { minutesTexts } from '../../../services/gateway/printed-sheets/minutes.view.ts';
import type { SheetTexts } from '../../../services/gateway/printed-sheets/sheet-texts.view.ts';

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
    minutes: null,
    made_at: '2026-10-05T08:30:00.000Z',
    ...more,
  };
}

async function printed(texts: SheetTexts): Promise<string[]> {
  const document = await getDocumentProxy(new Uint8Array(await sheetPdf(texts)));
  return (await extractText(document)).text;
}

const textOf = (form: MeetingForm, language: Language = 'en') => printed(formTexts(form, language));

/** The minutes of a meeting of two. */
function minutesOf(more: Partial<Minutes> = {}): Minutes {
  const none = { fines_paid: 0, to_treasury: 0, owed: 0 };
  const member_id = '0192f0c0-0000-7000-8000-00000000000c';
  return {
    sheet_id: '0192f0c0-0000-7000-8000-00000000000d',
    status: 'confirmed',
    lines: [
      { member_id, display_name: 'Awa Ngono', attendance: 'late', ...none, paid: 9_000, fines_paid: 500, owed: 1_000 },
      { member_id, display_name: 'Member 2', attendance: 'absent', ...none, paid: 0, to_treasury: 250 },
    ],
    paid: 9_000,
    fines_paid: 500,
    to_treasury: 250,
    cash_before: 2_750,
    counted_cash: 12_490,
    expected_cash: 12_500,
    difference: -10,
    note: 'A coin is missing',
    sheet_hash: 'f'.repeat(64),
    recorded_by: 'Etienne',
    created_at: '2026-10-05T18:00:00.000Z',
    confirmed_at: '2026-10-05T19:30:00.000Z',
    ...more,
  };
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
    const pdf = () => sheetPdf(formTexts(long, 'en'));
    expect(await pdf()).to.deep.equal(await pdf());
    expect((await textOf(long))[0]).to.contain('NNN…');
  });
});

describe('the minutes of a meeting', () => {
  it('have what each member paid and still owes, the cash, and when the board confirmed it', async () => {
    const [page = '', ...more] = await printed(minutesTexts(formOf(2), minutesOf(), 'en'));
    expect(more).to.deep.equal([]);
    const rows = ['1 Awa Ngono late 9,000 500 1,000', '2 Member 2 absent 250', 'Total 9,000 500 250'];
    const cash = [
      'In the cash box before: 2,750.',
      'Counted cash 12,490',
      'Expected cash 12,500',
      'Difference -10',
      'A coin is missing',
    ];
    const when = [
      'Confirmed by the board',
      '5 October 2026, 20:30 Africa/Douala',
      'Recorded by Etienne',
      'f'.repeat(64),
    ];
    const text = page.replaceAll(/\s+/g, ' ');
    for (const each of ['Minutes: Round 3, 5 October 2026', ...rows, ...cash, ...when]) expect(text).to.contain(each);
  });

  it('say what a sheet is that counts no more, or not yet', async () => {
    for (const [status, says] of [
      ['draft', 'nothing of it is in the ledger'],
      ['submitted', 'the board has not decided'],
      ['reversed', 'reversed by a correction'],
    ] as const) {
      expect((await printed(minutesTexts(formOf(1), minutesOf({ status }), 'en')))[0]).to.contain(says);
    }
  });

  it('have 25 members on a page, with the totals below', async () => {
    const lines = Array.from({ length: 25 }, () => minutesOf().lines[0]!);
    const pages = await printed(minutesTexts(formOf(25), minutesOf({ lines }), 'fr'));
    expect(pages).to.have.length(1);
    for (const text of ['Procès-verbal', 'en retard', 'Total', 'Reste dû', 'Espèces comptées', 'Trésorier']) {
      expect(pages[0]).to.contain(text);
    }
  });
});
