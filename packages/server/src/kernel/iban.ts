/** International bank account numbers (ISO 13616). No side effects. */

/** The number in upper case, without spaces. */
export function normalizeIban(text: string): string {
  return text.replaceAll(/\s/g, '').toUpperCase()
}

/** Whether the number has a valid format and valid check digits. */
export function isIban(iban: string): boolean {
  return /^[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}$/.test(iban) && remainderOf(iban) === 1n
}

/** The number modulo 97, with letters as two digits and the first four characters at the end. */
function remainderOf(iban: string): bigint {
  const digits = [...`${iban.slice(4)}${iban.slice(0, 4)}`].map((character) => Number.parseInt(character, 36))
  return BigInt(digits.join('')) % 97n
}

export function countryOfIban(iban: string): string {
  return iban.slice(0, 2)
}

/** The bank code of a German or Austrian account; null for other countries. */
export function bankCodeOf(iban: string): string | null {
  const digits = { DE: 8, AT: 5 }[countryOfIban(iban)]
  return digits === undefined ? null : iban.slice(4, 4 + digits)
}
