import { TABLE_SERVICES } from '../../lib/config/service-names.ts';
import { failOver } from '../chaos/failover.ts';

failOver(TABLE_SERVICES);
