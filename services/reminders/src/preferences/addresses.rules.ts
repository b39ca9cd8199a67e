/** The forms of e-mail addresses and phone numbers. */
import { domainToASCII } from 'node:url';

/** RFC 5321, section 4.5.3.1. */
export const EMAIL_MAX_CHARACTERS = 254;
const LOCAL_MAX_CHARACTERS = 64;

/** With blanks and hyphens between the digits, as people write numbers. */
export const PHONE_MAX_CHARACTERS = 40;

/** The atoms of RFC 5322 in ASCII, without quoted parts: what mail providers give people. */
const LOCAL = /^[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*$/;
const DOMAIN = /^(?:[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?\.)+[a-z][a-z\d-]{0,61}[a-z\d]$/;

/** E.164: a country code, and at most 15 digits in all. */
const PHONE = /^\+[1-9]\d{7,14}$/;

/** Returns an e-mail address in its normal form; undefined if it is none. */
export function readEmail(text: string): string | undefined {
  const at = text.lastIndexOf('@');
  const local = text.slice(0, Math.max(at, 0));
  const domain = domainToASCII(text.slice(at + 1)).toLowerCase();
  const isAddress = local.length <= LOCAL_MAX_CHARACTERS && LOCAL.test(local) && DOMAIN.test(domain);
  const address = `${local}@${domain}`;
  return isAddress && address.length <= EMAIL_MAX_CHARACTERS ? address : undefined;
}

/** Returns a phone number as E.164 writes it; undefined if it is none. */
export function readPhone(text: string): string | undefined {
  const number = text.replace(/[\s().\u2010-\u2015-]/gu, '');
  return PHONE.test(number) ? number : undefined;
}
