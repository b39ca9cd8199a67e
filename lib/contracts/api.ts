/** The path of the v1 API below the root of the server. */
export const API_BASE = '/association-service/api/v1';
