/** Where the v1 interface lives below the server root (specification, section 1). */
export const API_BASE = '/association-service/api/v1';
