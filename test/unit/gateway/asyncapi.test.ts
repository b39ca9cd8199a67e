import { createRequire } from 'node:module';
import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { expect } from 'chai';
import { EVENT_SCHEMAS } from '../../../lib/contracts/events.ts';
import type { EventType } from '../../../lib/contracts/events.ts';
import { asyncApiDocument, exampleOfEvent } from '../../../services/gateway/asyncapi/document.ts';
import { closed, unnamedTypes } from '../../harness/api-document.ts';
import { lint } from '../../harness/lint-document.ts';

const require = createRequire(import.meta.url);
const TYPES = Object.keys(EVENT_SCHEMAS) as EventType[];

describe('the AsyncAPI document', function () {
  this.timeout(60_000);
  const document = asyncApiDocument();

  it('has nothing that a linter complains about', async () => {
    expect(await lint(document)).to.deep.equal([]);
  });

  it('is what the specification says that it is', () => {
    const schema = require('@asyncapi/specs/schemas/3.0.0-without-$id.json') as object;
    const ajv = new Ajv({ strict: false, logger: false });
    addFormats.default(ajv);
    const validate = ajv.compile(schema);
    expect(validate(document), JSON.stringify(validate.errors?.slice(0, 5))).to.equal(true);
  });

  it('has a name for each object and enumeration, and leaves all of them open', () => {
    expect(unnamedTypes(document)).to.deep.equal([]);
    expect(JSON.stringify(document)).to.not.contain('additionalProperties');
  });

  it('has a channel for each type of event, with an example that fits its schema', () => {
    const { channels, components } = document as Record<'channels' | 'components', Record<string, object>>;
    expect(Object.keys(channels)).to.have.members(TYPES);
    const ajv = new Ajv2020({ strict: false });
    addFormats.default(ajv);
    ajv.addSchema(closed({ $id: 'document', components }));
    for (const type of TYPES) {
      const validate = ajv.compile({ $ref: `document#/components/messages/${type}/payload` });
      expect(validate(exampleOfEvent(type)), `${type}: ${JSON.stringify(validate.errors)}`).to.equal(true);
    }
  });
});
