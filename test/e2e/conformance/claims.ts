import { randomUUID } from 'node:crypto';
import type { DatabaseService } from '../../../lib/config/service-names.ts';
import type { Endpoint } from '../../../lib/contracts/action.ts';
import { fingerprintOf } from '../../../lib/idempotency/operation.ts';
import { rulesOf } from '../../../lib/schema/rules.ts';
import { contractValidator } from '../../../lib/schema/validator.ts';
import { operationIdOf } from '../../../services/gateway/openapi/operation.rules.ts';
import { inDatabase, type Deployment } from '../../harness/cluster.ts';
import type { Operation } from '../../harness/api-document.ts';
import type { Json } from '../../harness/http.ts';
import { ALL_ROUTES } from '../../harness/own-document.ts';
import { fullPathOf, operationsWith, shownBody } from './walk.ts';

const endpoints = new Map<string, Endpoint>(ALL_ROUTES.map(({ endpoint }) => [operationIdOf(endpoint.name), endpoint]));

/** A key of a write, and the code that a request with it must get. */
interface ClaimedKey {
  of: Operation;
  key: string;
  code: string;
}

/** Writes for each operation a key that the same request holds or, for `idempotency_key_reused`, another one. */
export async function claimKeys(cluster: Deployment, user_id: string, codes: string[]): Promise<ClaimedKey[]> {
  const claimed = codes.flatMap((code) => operationsWith(code).map((of) => ({ of, key: randomUUID(), code })));
  for (const { of, key, code } of claimed) {
    const endpoint = endpoints.get(of.id)!;
    const same = fingerprintOf(of.method, fullPathOf(of), normal(endpoint, shownBody(of) ?? {}), endpoint);
    const fingerprint = code === 'idempotency_in_flight' ? same : '0'.repeat(64);
    await inDatabase(cluster, endpoint.name.split('.')[0] as DatabaseService, (client) =>
      client.query(
        `INSERT INTO idempotency_keys (user_id, key, fingerprint, operation_id, claimed_at, held_until)
         VALUES ($1, $2, $3, $4, now(), now() + interval '1 hour')`,
        [user_id, key, fingerprint, randomUUID()],
      ),
    );
  }
  return claimed;
}

/** Returns a body as the action receives it, with its defaults. */
function normal({ body: fields }: Endpoint, body: Json): Json {
  const read = structuredClone(body);
  const check = contractValidator().compile({ $$strict: true, ...rulesOf(fields) }) as (value: Json) => unknown;
  check(read);
  return Object.fromEntries(Object.entries(read).filter(([, value]) => value !== undefined));
}
