import { createConfig, lintFromString } from '@redocly/openapi-core';

/** Returns the findings of Redocly's recommended rules for a document, each as `severity rule: message (where)`. */
export async function lint(document: object): Promise<string[]> {
  const config = await createConfig({ extends: ['recommended'] });
  const source = JSON.stringify(document);
  const problems = await lintFromString({ source, config, absoluteRef: '/document.json' });
  return problems.map(({ severity, ruleId, message, location }) => {
    const { pointer } = location[0] as { pointer?: string };
    return `${severity} ${ruleId}: ${message} (${pointer ?? ''})`;
  });
}
