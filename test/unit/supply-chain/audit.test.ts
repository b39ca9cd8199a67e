import { expect } from 'chai';
import { judgeAudit } from '../../../cli/audit-report.ts';

const found = (total: number) => JSON.stringify({ metadata: { vulnerabilities: { low: total, total } } });

describe('npm run audit', () => {
  for (const [output, line, failed] of [
    [found(0), 'Known vulnerabilities', false],
    [found(1), 'Known vulnerabilities', true],
    [JSON.stringify({ statusCode: 405, message: '405 Method Not Allowed' }), 'NOT AUDITED', false],
    [JSON.stringify({ statusCode: 503, message: 'try again' }), 'The audit failed: try again', true],
    [JSON.stringify({ message: 'getaddrinfo ENOTFOUND' }), 'The audit failed: getaddrinfo', true],
    [JSON.stringify({ metadata: { vulnerabilities: {} } }), 'Known vulnerabilities', true],
    ['', 'The audit failed', true],
  ] as const) {
    it(`${failed ? 'fails' : 'passes'} for ${output === '' ? 'no output' : output}`, () => {
      const verdict = judgeAudit(output);
      expect(verdict.failed).to.equal(failed);
      expect(verdict.line).to.contain(line);
    });
  }
});
