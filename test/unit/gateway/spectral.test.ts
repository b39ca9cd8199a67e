import { expect } from 'chai';
import spectral from '@stoplight/spectral-core';
import type { RulesetDefinition } from '@stoplight/spectral-core';
import rulesets from '@stoplight/spectral-rulesets';
import { asyncApiDocument } from '../../../services/gateway/asyncapi/document.ts';
import { openApiDocument } from '../../../services/gateway/openapi/document.ts';
import { ROUTES } from '../../../services/gateway/routes.ts';

/** What Spectral's rules say of a document: `rule place: message`. */
async function findings(document: object, ruleset: object): Promise<string[]> {
  const linter = new spectral.Spectral();
  // The package's own rulesets do not fit the type that it asks for.
  linter.setRuleset(ruleset as RulesetDefinition);
  const results = await linter.run(JSON.stringify(document));
  return results.map(({ code, path, message }) => `${String(code)} ${path.join('/')}: ${message}`);
}

describe('Spectral', function () {
  // Its rules take some 5 s for the larger document on an idle machine.
  this.timeout(120_000);

  it('finds nothing in the OpenAPI document', async () => {
    expect(await findings(openApiDocument(ROUTES), { extends: [rulesets.oas] })).to.deep.equal([]);
  });

  it('finds nothing in the AsyncAPI document', async () => {
    // The contract says 3.0, and who runs a server is not known here.
    const rules = { 'asyncapi-latest-version': 'off', 'asyncapi-info-contact-properties': 'off' } as const;
    const ruleset = { extends: [rulesets.asyncapi], rules };
    expect(await findings(asyncApiDocument(), ruleset)).to.deep.equal([]);
  });
});
