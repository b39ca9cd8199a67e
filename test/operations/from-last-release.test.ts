import { rollTo } from '../e2e/rolling.ts';
import { checkOutLastRelease } from '../harness/last-release.ts';

// And back. Its processes work beside those of this release, on the same databases, while this one's migrations run.
rollTo(['same', 'last'], checkOutLastRelease);
