import { killAtEveryStep } from './kill-at-every-step.ts';
import { GROUP_STORIES } from './stories/index.ts';

killAtEveryStep('recovery of cycles and memberships after a process was killed', GROUP_STORIES);
