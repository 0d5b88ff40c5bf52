/**
 * Checks VAT ids offline, by their format and check digits: the EU, Northern Ireland (`XI`), the United Kingdom,
 * Switzerland and Norway. A well-formed id may still not exist, which only the national registers can confirm.
 */

/** `country` is the ISO 3166-1 code: `GR` for ids that begin with `EL`. */
export type CheckedTaxId = { readonly country: string; readonly isInEu: boolean }

type Country = {
  /** The format of the part after the prefix. */
  readonly pattern: RegExp
  readonly isValid: (body: string) => boolean
}

/** The country of a well-formed VAT id. Null if it is malformed, or of a type that is not checked. */
export function checkTaxId({
  type,
  value,
}: {
  readonly type: string
  readonly value: string
}): CheckedTaxId | null {
  const text = value.toUpperCase().replaceAll(/[\s.-]/g, '')
  if (type === 'eu_vat') return checkEu(text)
  const national = nationalIds[type]
  if (national === undefined) return null
  const body = text.replace(new RegExp(`^${national.prefix}`), '')
  return isWellFormed(national, body) ? { country: national.country, isInEu: false } : null
}

function checkEu(text: string): CheckedTaxId | null {
  const prefix = text.slice(0, 2)
  const body = text.slice(2)
  // Northern Ireland is treated as part of the EU only for goods, and reverse charge applies here to services.
  if (prefix === 'XI') return isWellFormed(british, body) ? { country: 'GB', isInEu: false } : null
  const country = euCountries[prefix]
  if (country === undefined || !isWellFormed(country, body)) return null
  return { country: prefix === 'EL' ? 'GR' : prefix, isInEu: true }
}

const isWellFormed = ({ pattern, isValid }: Country, body: string) => pattern.test(body) && isValid(body)

const digitsOf = (text: string) => [...text].map(Number)

/** The sum of the digits, each times its weight. */
function weighted(text: string, weights: readonly number[]): number {
  const digits = digitsOf(text)
  return weights.reduce((sum, weight, index) => sum + weight * (digits[index] ?? 0), 0)
}

/** The sum of the digits where every second digit is doubled and its digits are added. */
function luhnSum(text: string, firstFactor: 1 | 2): number {
  return digitsOf(text).reduce((sum, digit, index) => {
    const factor = (index % 2 === 0) === (firstFactor === 2) ? 2 : 1
    const product = digit * factor
    return sum + (product > 9 ? product - 9 : product)
  }, 0)
}

const complement = (sum: number, modulus: number) => (modulus - (sum % modulus)) % modulus
const lastDigit = (text: string) => Number(text.at(-1))
const ofTenAsZero = (value: number) => (value === 10 ? 0 : value)

/** ISO 7064, MOD 11,10. */
function pureSystemCheck(text: string): number {
  const product = digitsOf(text).reduce((previous, digit) => {
    const sum = (digit + previous) % 10
    return ((sum === 0 ? 10 : sum) * 2) % 11
  }, 10)
  return ofTenAsZero(11 - product) % 10
}

const down = (from: number, to: number) => Array.from({ length: from - to + 1 }, (_, index) => from - index)
const up = (from: number, to: number) => down(to, from).toReversed()

/** The last digit is `modulus - sum mod modulus`, where 10 is written as 0. */
const complementOf11 = (weights: readonly number[]) => (body: string) =>
  ofTenAsZero(complement(weighted(body, weights), 11)) === lastDigit(body)
const complementOf10 = (weights: readonly number[]) => (body: string) =>
  complement(weighted(body, weights), 10) === lastDigit(body)
const remainderOf11 = (weights: readonly number[]) => (body: string) =>
  ofTenAsZero(weighted(body, weights) % 11) === lastDigit(body)

function isBulgarian(body: string): boolean {
  if (body.length === 9) {
    const first = weighted(body, up(1, 8)) % 11
    return ofTenAsZero(first < 10 ? first : weighted(body, up(3, 10)) % 11) === lastDigit(body)
  }
  const person = remainderOf11([2, 4, 8, 5, 10, 9, 7, 3, 6])(body)
  const foreigner = weighted(body, [21, 19, 17, 13, 11, 9, 7, 3, 1]) % 10 === lastDigit(body)
  return (
    person || foreigner || complement(weighted(body, [4, 3, 2, 7, 6, 5, 4, 3, 2]), 11) === lastDigit(body)
  )
}

function isCypriot(body: string): boolean {
  const evenValues = [1, 0, 5, 7, 9, 13, 15, 17, 19, 21]
  const sum = digitsOf(body.slice(0, 8)).reduce(
    (total, digit, index) => total + (index % 2 === 0 ? (evenValues[digit] ?? 0) : digit),
    0,
  )
  return String.fromCharCode(65 + (sum % 26)) === body.at(-1)
}

/** Companies have 8 digits; the ids of people are their birth numbers. */
function isCzech(body: string): boolean {
  if (body.length === 8) {
    const check = 11 - (weighted(body, down(8, 2)) % 11)
    return (check === 10 ? 0 : check % 10) === lastDigit(body)
  }
  return body.length === 9 || Number(body) % 11 === 0
}

const spanishLetters = 'TRWAGMYFPDXBNJZSQVHLCKE'

/** People have a letter at the end that depends on the number; companies have a letter at the start. */
function isSpanish(body: string): boolean {
  if (/^[0-9XYZ]/.test(body)) {
    const number = Number(body.slice(0, 8).replace('X', '0').replace('Y', '1').replace('Z', '2'))
    return spanishLetters[number % 23] === body.at(-1)
  }
  if (/^[KLM]/.test(body)) return spanishLetters[Number(body.slice(1, 8)) % 23] === body.at(-1)
  const check = complement(luhnSum(body.slice(1, 8), 2), 10)
  return body.at(-1) === String(check) || body.at(-1) === 'JABCDEFGHI'[check]
}

function isFrench(body: string): boolean {
  if (!/^\d{11}$/.test(body)) return true
  return (Number(body.slice(2)) * 100 + 12) % 97 === Number(body.slice(0, 2))
}

function isIrish(body: string): boolean {
  const oldForm = /^(\d)[A-Z+*](\d{5})([A-W])$/.exec(body)
  const [digits, letters] =
    oldForm === null ? [body.slice(0, 7), body.slice(7)] : [`0${oldForm[2]}${oldForm[1]}`, oldForm[3] ?? '']
  const second = letters[1] === undefined || letters[1] === 'W' ? 0 : letters.charCodeAt(1) - 64
  return 'WABCDEFGHIJKLMNOPQRSTUV'[(weighted(digits, down(8, 2)) + 9 * second) % 23] === letters[0]
}

function isLithuanian(body: string): boolean {
  const count = body.length - 1
  const cycle = (start: number) => Array.from({ length: count }, (_, index) => ((start - 1 + index) % 9) + 1)
  const first = weighted(body, cycle(1)) % 11
  return ofTenAsZero(first < 10 ? first : weighted(body, cycle(3)) % 11) === lastDigit(body)
}

/** The ids of people are their personal codes, which contain a date. */
function isLatvian(body: string): boolean {
  if (/^[0-3]/.test(body)) return true
  const rest = weighted(body, [9, 1, 4, 8, 3, 10, 2, 5, 7, 6]) % 11
  if (rest === 4) return false
  return (rest > 4 ? 14 - rest : 3 - rest) === lastDigit(body)
}

/** Sole traders have ids with ISO 7064 MOD 97,10 since 2020. */
function isDutch(body: string): boolean {
  const isCompany = weighted(body, down(9, 2)) % 11 === Number(body[8])
  const letters = [...`NL${body}`].map((char) => (/\d/.test(char) ? char : String(char.charCodeAt(0) - 55)))
  return isCompany || BigInt(letters.join('')) % 97n === 1n
}

function isRomanian(body: string): boolean {
  const padded = body.padStart(10, '0')
  return ofTenAsZero((10 * weighted(padded, [7, 5, 3, 2, 1, 7, 5, 3, 2])) % 11) === lastDigit(body)
}

const weightsOfBritain = [...down(8, 2), 10, 1]
function isBritish(body: string): boolean {
  if (/^(GD|HA)/.test(body)) return true
  const rest = weighted(body, weightsOfBritain) % 97
  return rest === 0 || rest === 42
}

const british: Country = { pattern: /^(\d{9}|\d{12}|GD[0-4]\d{2}|HA[5-9]\d{2})$/, isValid: isBritish }

// biome-ignore format: a table.
const euCountries: { readonly [prefix: string]: Country } = {
  AT: { pattern: /^U\d{8}$/, isValid: (body) => complement(luhnSum(body.slice(1, 8), 1) + 4, 10) === lastDigit(body) },
  BE: { pattern: /^[01]\d{9}$/, isValid: (body) => 97 - (Number(body.slice(0, 8)) % 97) === Number(body.slice(8)) },
  BG: { pattern: /^\d{9,10}$/, isValid: isBulgarian },
  CY: { pattern: /^[0-59]\d{7}[A-Z]$/, isValid: isCypriot },
  CZ: { pattern: /^\d{8,10}$/, isValid: isCzech },
  DE: { pattern: /^[1-9]\d{8}$/, isValid: (body) => pureSystemCheck(body.slice(0, 8)) === lastDigit(body) },
  DK: { pattern: /^[1-9]\d{7}$/, isValid: (body) => weighted(body, [2, 7, 6, 5, 4, 3, 2, 1]) % 11 === 0 },
  EE: { pattern: /^10\d{7}$/, isValid: complementOf10([3, 7, 1, 3, 7, 1, 3, 7]) },
  EL: { pattern: /^\d{9}$/, isValid: remainderOf11([256, 128, 64, 32, 16, 8, 4, 2]) },
  ES: { pattern: /^([A-HJN-SUVW]\d{7}[\dA-J]|[KLMXYZ\d]\d{7}[A-Z])$/, isValid: isSpanish },
  FI: { pattern: /^\d{8}$/, isValid: (body) => complement(weighted(body, [7, 9, 10, 5, 8, 4, 2]), 11) === lastDigit(body) },
  FR: { pattern: /^[\dA-HJ-NP-Z]{2}\d{9}$/, isValid: isFrench },
  HR: { pattern: /^\d{11}$/, isValid: (body) => pureSystemCheck(body.slice(0, 10)) === lastDigit(body) },
  HU: { pattern: /^\d{8}$/, isValid: complementOf10([9, 7, 3, 1, 9, 7, 3]) },
  IE: { pattern: /^(\d{7}[A-W][A-IW]?|\d[A-Z+*]\d{5}[A-W])$/, isValid: isIrish },
  IT: { pattern: /^\d{11}$/, isValid: (body) => luhnSum(body, 1) % 10 === 0 },
  LT: { pattern: /^(\d{7}1\d|\d{10}1\d)$/, isValid: isLithuanian },
  LU: { pattern: /^\d{8}$/, isValid: (body) => Number(body.slice(0, 6)) % 89 === Number(body.slice(6)) },
  LV: { pattern: /^\d{11}$/, isValid: isLatvian },
  MT: { pattern: /^[1-9]\d{7}$/, isValid: (body) => 37 - (weighted(body, [3, 4, 6, 7, 8, 9]) % 37) === Number(body.slice(6)) },
  NL: { pattern: /^\d{9}B\d{2}$/, isValid: isDutch },
  PL: { pattern: /^\d{10}$/, isValid: (body) => weighted(body, [6, 5, 7, 2, 3, 4, 5, 6, 7]) % 11 === lastDigit(body) },
  PT: { pattern: /^[1-9]\d{8}$/, isValid: complementOf11(down(9, 2)) },
  RO: { pattern: /^[1-9]\d{1,9}$/, isValid: isRomanian },
  SE: { pattern: /^\d{10}01$/, isValid: (body) => luhnSum(body.slice(0, 10), 2) % 10 === 0 },
  SI: { pattern: /^[1-9]\d{7}$/, isValid: complementOf11(down(8, 2)) },
  SK: { pattern: /^[1-9]\d[2-46-9]\d{7}$/, isValid: (body) => Number(body) % 11 === 0 },
}

// biome-ignore format: a table.
const nationalIds: { readonly [type: string]: Country & { readonly country: string; readonly prefix: string } } = {
  gb_vat: { country: 'GB', prefix: 'GB', ...british },
  ch_vat: { country: 'CH', prefix: 'CHE', pattern: /^\d{9}(MWST|TVA|IVA)$/, isValid: (body) => complement(weighted(body, [5, 4, 3, 2, 7, 6, 5, 4]), 11) === Number(body[8]) },
  no_vat: { country: 'NO', prefix: 'NO', pattern: /^\d{9}MVA$/, isValid: (body) => complement(weighted(body, [3, 2, 7, 6, 5, 4, 3, 2]), 11) === Number(body[8]) },
}
