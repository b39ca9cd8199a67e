import type { ServiceApi } from '../lib/contracts/service-api.ts';
import { API as reminders } from '../services/reminders/src/contracts.ts';
import { API as webhooks } from '../services/webhooks/src/contracts.ts';
import { joinedApis } from '../services/gateway/further-apis/joined-apis.rules.ts';

const DECLARED: readonly ServiceApi[] = [webhooks, reminders];

/** The routes of this project's further services, which a gateway learns from their processes, for the client and for tests. */
export const FURTHER_APIS = joinedApis(DECLARED);
