import type { Deprecation } from '../../../lib/contracts/action.ts';

/** Returns the headers that announce the end of an operation (RFC 9745, RFC 8594); none if no end is announced. */
export function deprecationHeaders(deprecated: Deprecation | undefined): Record<string, string> {
  if (deprecated === undefined) return {};
  const { since, sunset, link } = deprecated;
  const deprecation = { Deprecation: `@${String(Date.parse(since) / 1_000)}` };
  if (sunset === undefined) return { ...deprecation, Link: `<${link}>; rel="deprecation"` };
  // toUTCString() writes the HTTP date of RFC 9110, section 5.6.7.
  return { ...deprecation, Sunset: new Date(sunset).toUTCString(), Link: `<${link}>; rel="deprecation sunset"` };
}
