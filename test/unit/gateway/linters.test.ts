import spectral, { type RulesetDefinition } from '@stoplight/spectral-core';
import rulesets from '@stoplight/spectral-rulesets';
import { expect } from 'chai';
import { asyncApiDocument } from '../../../services/gateway/asyncapi/document.ts';
import { ownDocument } from '../../harness/own-document.ts';
import { lint } from '../../harness/lint-document.ts';

describe('the linters Redocly and Spectral', function () {
  // Spectral needs about 5 s for the OpenAPI document on an idle machine.
  this.timeout(120_000);
  const openApi = ownDocument;
  const asyncApi = asyncApiDocument();

  it('find nothing in the OpenAPI document', async () => {
    expect(await lint(openApi)).to.deep.equal([]);
    expect(await spectralFindings(openApi, { extends: [rulesets.oas] })).to.deep.equal([]);
  });

  it('find that the license is missing', async () => {
    const { info, ...rest } = openApi as { info: object };
    expect(await lint({ ...rest, info: { ...info, license: undefined } })).to.not.deep.equal([]);
  });

  it('find nothing in the AsyncAPI document', async () => {
    expect(await lint(asyncApi)).to.deep.equal([]);
    // The document uses version 3.0 on purpose, and the operator of a server is not known here.
    const rules = { 'asyncapi-latest-version': 'off', 'asyncapi-info-contact-properties': 'off' } as const;
    expect(await spectralFindings(asyncApi, { extends: [rulesets.asyncapi], rules })).to.deep.equal([]);
  });
});

/** Returns the findings of Spectral's rules, each as `rule place: message`. */
async function spectralFindings(document: object, ruleset: object): Promise<string[]> {
  const linter = new spectral.Spectral();
  // The package's rulesets do not match the type of its own parameter.
  linter.setRuleset(ruleset as RulesetDefinition);
  const results = await linter.run(JSON.stringify(document));
  return results.map(({ code, path, message }) => `${String(code)} ${path.join('/')}: ${message}`);
}
