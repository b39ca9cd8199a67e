/** The languages in which people are told things; the first one where a client asks for none of them. */
export const LANGUAGES = ['en', 'fr'] as const;

export type Language = (typeof LANGUAGES)[number];
