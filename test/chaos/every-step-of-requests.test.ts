import { killAtEveryStep } from './kill-at-every-step.ts';
import { REQUEST_STORIES } from './stories/index.ts';

killAtEveryStep('recovery of requests to the board after a process was killed', REQUEST_STORIES);
