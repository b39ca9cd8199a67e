import { rollTo } from './rolling.ts';

// test/operations/rolling-restart.test.ts has a longer sequence.
rollTo(['expand']);
