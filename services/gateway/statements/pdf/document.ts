import { setImmediate as nextTurn } from 'node:timers/promises';
import PDFDocument from 'pdfkit';
import type { Statement } from '../../../../lib/contracts/treasury.ts';
import type { Language } from '../../../../lib/language/languages.ts';
import { figuresOf } from '../figures.view.ts';
import { STATEMENT_WORDS } from '../words.view.ts';
import { BODY_BOTTOM, drawBlocks, heightOf, MARGIN, PAGE_HEIGHT, PAGE_WIDTH, type DrawingContext } from './paper.ts';
import { buildTop, buildVerification, drawFooter } from './parts.ts';
import { buildHeader, buildRows, buildTable, chooseLayout, paginate } from './table.ts';
import { Typesetter } from './typesetter.ts';

/**
 * Writes a statement as PDF in A4 with embedded fonts. The same statement gives the same bytes. Pages are written as
 * the client reads them, with pauses for other requests.
 */
export async function* statementPdf(statement: Statement, language: Language): AsyncGenerator<Buffer> {
  const document = newDocument(statement, language);
  const words = STATEMENT_WORDS[language];
  const figures = figuresOf(language, statement.currency, statement.time_zone);
  const context: DrawingContext = {
    document,
    typesetter: await Typesetter.create(document),
    statement,
    words,
    figures,
  };
  const layout = chooseLayout(context);
  const header = buildHeader(context, layout);
  const above = buildTop(context);
  const below = buildVerification(context);
  const laterHeight = BODY_BOTTOM - MARGIN - header.height;
  const room = { firstHeight: laterHeight - heightOf(above), laterHeight, endHeight: heightOf(below) };
  const pages = await paginate(buildRows(context, layout), room);
  for (const [index, rows] of pages.entries()) {
    const isFirst = index === 0;
    const isLast = index === pages.length - 1;
    document.addPage();
    drawBlocks(
      [...(isFirst ? above : []), ...buildTable(context, layout, header, rows), ...(isLast ? below : [])],
      MARGIN,
    );
    drawFooter(context, index + 1, pages.length);
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
    // The file's id is derived from these values, so nothing in the file is random.
    info: {
      Title: `${title}: ${statement.member.display_name ?? statement.member.user_id}, ${statement.association.name}`,
      Producer: 'association-service',
      Creator: 'association-service',
      CreationDate: made,
      ModDate: made,
    },
  });
}

/** Reads everything that the document has written since the last call. */
function* readChunks(document: InstanceType<typeof PDFDocument>): Generator<Buffer> {
  for (let chunk: unknown; (chunk = document.read()) !== null;) yield chunk as Buffer;
}
