import { overview } from '../../../lib/contracts/contribution.ts';
import { implementCommand } from '../../../lib/service/implement.ts';
import type { ContributionDeps } from '../deps.ts';
import { readFigures } from './overview.store.ts';
import { showFigures } from './overview.view.ts';

/** Returns to membership what a user owes, is owed and will receive in their associations. */
export function overviewAction({ reads }: ContributionDeps) {
  return implementCommand(overview, async ({ memberships }) => {
    const rows = await readFigures(reads, memberships);
    return { associations: rows.map(showFigures) };
  });
}
