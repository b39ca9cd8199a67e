import type { Page } from './page.ts';

/** What Prometheus collects: the gateway's requests and the process that it runs in. */
export const METRICS_PAGE: Page = {
  path: '/metrics',
  answer: async ({ metrics }) => ({ contentType: metrics.contentType, body: await metrics.text() }),
};
