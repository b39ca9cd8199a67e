/** `/openapi.json` and `/asyncapi.json`: the interface as programs read it. */
import { ASK_EACH_TIME, keptFile } from './kept-file.ts';
import type { Page } from './page.ts';

export const DOCUMENT_PAGES: readonly Page[] = [
  {
    path: '/openapi.json',
    answer: documentPage(async () => (await import('../openapi/document.ts')).openApiDocument()),
  },
  {
    path: '/asyncapi.json',
    answer: documentPage(async () => (await import('../asyncapi/document.ts')).asyncApiDocument()),
  },
];

/** Few ever ask: what makes a document is loaded when it is first asked for. */
function documentPage(make: () => Promise<object>): Page['answer'] {
  return keptFile(ASK_EACH_TIME, async () => ({
    contentType: 'application/json; charset=utf-8',
    body: Buffer.from(JSON.stringify(await make())),
  }));
}
