/** Answers of a registry that does not serve advisories, as a mirror of the public one may not. */
const NOT_SERVED = [404, 405, 501];

/** The JSON of `npm audit`. */
interface AuditReport {
  metadata?: { vulnerabilities: Record<string, number> };
  /** The status with which the registry refused. */
  statusCode?: number;
  message?: string;
}

export interface Verdict {
  line: string;
  failed: boolean;
}

/** Judges the output of `npm audit --json`. Only a registry without advisories is no failure. */
export function judgeAudit(output: string): Verdict {
  const { metadata, statusCode, message } = parse(output);
  if (metadata !== undefined) {
    const { total = NaN, ...bySeverity } = metadata.vulnerabilities;
    const line = `Known vulnerabilities of production dependencies: ${JSON.stringify(bySeverity)}`;
    return { line, failed: total !== 0 };
  }
  if (statusCode !== undefined && NOT_SERVED.includes(statusCode)) {
    return { line: `NOT AUDITED: this registry does not serve advisories (${String(message)}).`, failed: false };
  }
  return { line: `The audit failed: ${message ?? output}`, failed: true };
}

function parse(output: string): AuditReport {
  try {
    return JSON.parse(output) as AuditReport;
  } catch {
    // The caller reports output that is not JSON.
    return {};
  }
}
