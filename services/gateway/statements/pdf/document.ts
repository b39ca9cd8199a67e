import { setImmediate as nextTurn } from 'node:timers/promises';
import PDFDocument from 'pdfkit';
import type { Statement } from '../../../../lib/contracts/treasury.ts';
import type { Language } from '../../../../lib/language/languages.ts';
import { figuresOf } from '../figures.view.ts';
import { STATEMENT_WORDS } from '../words.view.ts';
import { BODY_BOTTOM, drawBlocks, heightOf, MARGIN, PAGE_HEIGHT, PAGE_WIDTH, type Sheet } from './paper.ts';
import { drawFooter, heading, verification } from './parts.ts';
import { headOf, layoutOf, pagesOf, rowsOf, table } from './table.ts';
import { Typesetter } from './typesetter.ts';

/**
 * Writes a statement as PDF: A4, with its fonts in it, the same bytes for the same statement. Written page by page as
 * the client takes it, with pauses for other requests.
 */
export async function* statementPdf(statement: Statement, language: Language): AsyncGenerator<Buffer> {
  const document = newDocument(statement, language);
  const words = STATEMENT_WORDS[language];
  const figures = figuresOf(language, statement.currency);
  const sheet: Sheet = { document, set: await Typesetter.on(document), statement, words, figures };
  const layout = layoutOf(sheet);
  const head = headOf(sheet, layout);
  const [above, below] = [heading(sheet), verification(sheet)];
  const later = BODY_BOTTOM - MARGIN - head.height;
  const room = { first: later - heightOf(above), later, end: heightOf(below) };
  const pages = await pagesOf(rowsOf(sheet, layout), room);
  for (const [index, rows] of pages.entries()) {
    const isFirst = index === 0;
    const isLast = index === pages.length - 1;
    document.addPage();
    drawBlocks([...(isFirst ? above : []), ...table(sheet, layout, head, rows), ...(isLast ? below : [])], MARGIN);
    drawFooter(sheet, index + 1, pages.length);
    yield* readChunks(document);
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
function* readChunks(document: InstanceType<typeof PDFDocument>): Generator<Buffer> {
  for (let chunk: unknown; (chunk = document.read()) !== null;) yield chunk as Buffer;
}
