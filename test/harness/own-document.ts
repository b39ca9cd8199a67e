import { openApiDocument } from '../../services/gateway/openapi/document.ts';
import { ROUTES } from '../../services/gateway/routes.ts';
import { ApiDocument } from './api-document.ts';

/** The OpenAPI document of the API under test. */
export const api = new ApiDocument(openApiDocument(ROUTES));
