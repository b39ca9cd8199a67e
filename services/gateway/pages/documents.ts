/** `/openapi.json` and `/asyncapi.json`: the interface as programs read it. */
import { asyncApiDocument } from '../asyncapi/document.ts';
import { openApiDocument } from '../openapi/document.ts';
import { ASK_EACH_TIME, keptFile } from './kept-file.ts';
import type { Page } from './page.ts';

export const DOCUMENT_PAGES: readonly Page[] = [
  { path: '/openapi.json', answer: documentPage(openApiDocument) },
  { path: '/asyncapi.json', answer: documentPage(asyncApiDocument) },
];

function documentPage(make: () => object): Page['answer'] {
  return keptFile(ASK_EACH_TIME, () => ({
    contentType: 'application/json; charset=utf-8',
    body: Buffer.from(JSON.stringify(make())),
  }));
}
