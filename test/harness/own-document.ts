import { FURTHER_APIS } from '../../cli/further-apis.ts';
import { openApiDocument } from '../../services/gateway/openapi/document.ts';
import { ROUTES } from '../../services/gateway/routes.ts';
import { ApiDocument } from './api-document.ts';

/** All routes of the API under test, also those that further services declare. */
export const ALL_ROUTES = [...ROUTES, ...FURTHER_APIS.routes];

/** The OpenAPI document of the API under test. */
export const ownDocument = openApiDocument(ROUTES, FURTHER_APIS);

export const api = new ApiDocument(ownDocument);
