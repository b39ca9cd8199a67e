import { failOver } from './failover.ts';

// test/operations/failover.test.ts has all services.
failOver(['treasury']);
