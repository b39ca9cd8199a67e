import { setImmediate as nextTurn } from 'node:timers/promises';
import PDFDocument from 'pdfkit';
import type { Statement } from '../../../../lib/contracts/treasury.ts';
import type { Language } from '../../../../lib/language/languages.ts';
import { figuresOf } from '../figures.view.ts';
import { STATEMENT_WORDS } from '../words.view.ts';
import { statementFonts } from './fonts.ts';
import { BODY_BOTTOM, drawBlocks, heightOf, MARGIN, PAGE_HEIGHT, PAGE_WIDTH } from './paper.ts';
import type { Sheet } from './paper.ts';
import { drawFooter, heading, verification } from './parts.ts';
import { columnsOf, pagesOf, rowsOf, table, TABLE_HEAD_HEIGHT } from './table.ts';
import { Typesetter } from './typesetter.ts';

/**
 * Writes a statement as PDF: A4, with its fonts in it, the same bytes for the same statement. Written page by page as
 * the client takes it, with pauses for other requests.
 */
export async function* statementPdf(statement: Statement, language: Language): AsyncGenerator<Buffer> {
  const document = newDocument(statement, language);
  const fonts = await statementFonts();
  // pdfkit also takes parsed fonts, which its types do not say; parsing them each time would take 30 ms.
  for (const [face, font] of Object.entries(fonts)) document.registerFont(face, font as unknown as Uint8Array);
  const words = STATEMENT_WORDS[language];
  const figures = figuresOf(language, statement.currency);
  const sheet: Sheet = { document, set: new Typesetter(document, fonts), statement, words, figures };
  const columns = columnsOf(sheet);
  const [above, below] = [heading(sheet), verification(sheet)];
  const later = BODY_BOTTOM - MARGIN - TABLE_HEAD_HEIGHT;
  const room = { first: later - heightOf(above), later, end: heightOf(below) };
  const pages = await pagesOf(rowsOf(sheet, columns), room);
  for (const [index, rows] of pages.entries()) {
    const isFirst = index === 0;
    const isLast = index === pages.length - 1;
    document.addPage();
    drawBlocks([...(isFirst ? above : []), ...table(sheet, columns, rows), ...(isLast ? below : [])], MARGIN);
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

/** What the document has written since it was last read. */
function* taken(document: InstanceType<typeof PDFDocument>): Generator<Buffer> {
  for (let chunk: unknown; (chunk = document.read()) !== null;) yield chunk as Buffer;
}
