/** What library code needs of a log. Moleculer's loggers have this form, and so does serviceLog(). */
export interface Log {
  info(text: string, fields?: object): void;
  warn(text: string, fields?: object): void;
  error(text: string, fields?: object): void;
}
