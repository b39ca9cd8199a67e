import { readyAnswer } from '../http/health.ts';
import { jsonPage } from './page.ts';
import type { Page } from './page.ts';

/** For load balancers and orchestrators: quick, neither counted nor limited. */
export const HEALTH_PAGES: readonly Page[] = [
  { path: '/health/live', answer: () => jsonPage({ status: 'live' }) },
  { path: '/health/ready', answer: async ({ readiness }) => jsonPage(await readyAnswer(readiness)) },
];
