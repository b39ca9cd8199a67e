import { rollTo } from '../e2e/rolling.ts';

rollTo(['same', 'expand', 'contract']);
