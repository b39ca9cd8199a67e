import { expect } from 'chai';
import type { Logger } from 'moleculer';
import { accessLog } from '../../../services/gateway/http/access-log.ts';

describe('the access log', () => {
  it('writes the address of what was no HTTP as it writes that of requests', () => {
    const written: unknown[] = [];
    // As much of it as the access log uses.
    const log = { info: (_message: string, { address }: { address: string }) => written.push(address) };
    const access = accessLog({ logLevel: 'info', trustedProxies: [] }, log as unknown as Logger);
    for (const address of ['::ffff:192.0.2.1', '2001:DB8::1', undefined]) {
      access.unreadable({ status: 400, code: 'malformed_request', bytes: 0, request_id: 'r', address });
    }
    expect(written).to.deep.equal(['192.0.2.1', '2001:db8::1', 'unknown']);
  });
});
