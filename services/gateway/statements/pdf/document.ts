import { setImmediate as nextTurn } from 'node:timers/promises';
import PDFDocument from 'pdfkit';
import type { Statement } from '../../../../lib/contracts/treasury.ts';
import type { Language } from '../../../../lib/language/languages.ts';
import { figuresOf } from '../figures.view.ts';
import { STATEMENT_WORDS } from '../words.view.ts';
import { statementFonts } from './fonts.ts';
import { BODY_BOTTOM, MARGIN, PAGE_HEIGHT, PAGE_WIDTH } from './paper.ts';
import { columnsOf, pagesOf, rowMaker, rowsOf } from './rows.ts';
import {
  drawFooter,
  drawHeading,
  drawTable,
  drawVerification,
  headingHeight,
  TABLE_HEAD_HEIGHT,
  verificationHeight,
} from './sheet.ts';
import type { Sheet } from './sheet.ts';
import { Typesetter } from './typesetter.ts';

/**
 * Writes a statement as PDF: A4, with its fonts in it, the same bytes for the same statement. Made page by page as it
 * is taken, with pauses for other requests.
 */
export async function* statementPdf(statement: Statement, language: Language): AsyncGenerator<Buffer> {
  const document = newDocument(statement, language);
  const fonts = await statementFonts();
  // pdfkit takes parsed fonts too, which its types do not say; parsing them anew each time would take 30 ms.
  for (const [face, font] of Object.entries(fonts)) document.registerFont(face, font as unknown as Uint8Array);
  const words = STATEMENT_WORDS[language];
  const figures = figuresOf(language, statement.currency);
  const set = new Typesetter(document, fonts);
  const columns = columnsOf(statement, words, figures, set);
  const sheet: Sheet = { document, set, statement, words, figures, columns };
  const later = BODY_BOTTOM - MARGIN - TABLE_HEAD_HEIGHT;
  const end = verificationHeight(sheet);
  const rows = rowsOf(statement, rowMaker(statement, words, figures, set), columns);
  const pages = await pagesOf(rows, { first: later - headingHeight(sheet), later, end });
  for (const [index, page] of pages.entries()) {
    document.addPage();
    const top = index === 0 ? drawHeading(sheet) : MARGIN;
    const bottom = drawTable(sheet, page, top);
    if (index === pages.length - 1) drawVerification(sheet, bottom);
    drawFooter(sheet, index + 1, pages.length);
    yield* taken(document);
    await nextTurn();
  }
  document.end();
  for await (const chunk of document) yield chunk as Buffer;
}

function newDocument(statement: Statement, language: Language): InstanceType<typeof PDFDocument> {
  const { title } = STATEMENT_WORDS[language];
  const made = new Date(statement.made_at);
  return new PDFDocument({
    size: [PAGE_WIDTH, PAGE_HEIGHT],
    margin: 0,
    autoFirstPage: false,
    pdfVersion: '1.7',
    lang: language,
    displayTitle: true,
    // The file's id follows from these, so that nothing in it is random.
    info: {
      Title: `${title}: ${statement.member.display_name ?? statement.member.user_id}, ${statement.association.name}`,
      Producer: 'association-service',
      Creator: 'association-service',
      CreationDate: made,
      ModDate: made,
    },
  });
}

/** What the document has written and nobody has taken yet. */
function* taken(document: InstanceType<typeof PDFDocument>): Generator<Buffer> {
  for (let chunk: unknown; (chunk = document.read()) !== null;) yield chunk as Buffer;
}
