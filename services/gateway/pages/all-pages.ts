/** Every page below the server's root. A new one is a file beside this one and a line here. */
import { DOCS_PAGES } from './docs.ts';
import { DOCUMENT_PAGES } from './documents.ts';
import { HEALTH_PAGES } from './health.ts';
import { METRICS_PAGE } from './metrics.ts';
import type { Page } from './page.ts';
import { PROBLEM_PAGES } from './problems.ts';

export const PAGES: readonly Page[] = [
  ...HEALTH_PAGES,
  METRICS_PAGE,
  ...PROBLEM_PAGES,
  ...DOCUMENT_PAGES,
  ...DOCS_PAGES,
];
