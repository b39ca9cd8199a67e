import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { closed } from './api-document.ts';
import { asyncApiDocument } from '../../services/gateway/asyncapi/document.ts';

/** Returns the differences of events from the AsyncAPI document. */
export function eventComplaints(events: readonly { type: string }[]): string[] {
  const { components } = asyncApiDocument() as { components: { messages: Record<string, object> } };
  const ajv = new Ajv2020({ strict: false });
  addFormats.default(ajv);
  ajv.addSchema(closed({ $id: 'document', components }));
  return events.flatMap((event) => {
    if (components.messages[event.type] === undefined) return [`${event.type} is not documented`];
    const validate = ajv.compile({ $ref: `document#/components/messages/${event.type}/payload` });
    const fits: boolean = validate(event);
    return fits ? [] : [`${event.type}: ${ajv.errorsText(validate.errors)}`];
  });
}
