/**
 * Removes secrets, card data, tokens and personal data from a transcript. Known values are removed wherever they occur;
 * other values in responses are recognized by their member names and formats. Ids, statuses and amounts stay.
 */
import { scrub } from '../../packages/server/src/platform/log.ts'

const redacted = '[redacted]'

/** Members whose value is a secret, a token, card data, personal data or an opaque value that may contain them. */
const sensitiveMember =
  /secret|token|password|api_?key|nonce|fingerprint|cvc|cvv|security_?code|holder|card_?number|^number$|^bin$|email|phone|ip$|redirect_?result|payload|payment_?data|^md$|^pares$|^creq$|stored_?payment_?method|recurring_?detail|mandate|vault_?id|^payment_method$/i

/** Members that describe a person: everything in them is removed. */
const personalMember =
  /^(payer|payee|shipping|billing|billing_?details|billing_?address|address|customer|customer_?id|shopper_?(name|reference|locale))$/i

/** Tokens of cards, customers and accounts, in the formats of Stripe, Mollie and Checkout.com. */
const tokenForm = /\b(?:pm|cus|cst|tok|tkn|src|mdt|acct|[srp]k(?:_test|_sbox)?|whsec)_[A-Za-z0-9_]+/g

/** A shorter value, such as a CVC, may be part of another text by chance. It is removed only as a whole value. */
const minLength = 8
/** A longer text is an opaque value, such as the data of a redirect. */
const maxLength = 512

export type Redactor = {
  text(text: string): string
  /** A JSON value. */
  value(value: unknown, path?: readonly string[]): unknown
}

export function createRedactor(secrets: readonly string[]): Redactor {
  const long = secrets.filter(({ length }) => length >= minLength).toSorted((a, b) => b.length - a.length)
  const short = new Set(secrets.filter(({ length }) => length > 0 && length < minLength))

  function text(original: string): string {
    if (short.has(original)) return redacted
    const known = long.reduce((rest, secret) => rest.replaceAll(secret, redacted), original)
    const clean = scrub(known.replace(tokenForm, redacted).replace(/(https?:\/\/[^\s?"]+)\?[^\s"]*/g, '$1?…'))
    return clean.length > maxLength ? `[redacted: ${clean.length} characters]` : clean
  }

  function value(original: unknown, path: readonly string[] = []): unknown {
    if (Array.isArray(original)) return original.map((entry) => value(entry, path))
    if (typeof original === 'object' && original !== null) {
      const members = Object.entries(original).map(([name, member]) => [name, value(member, [...path, name])])
      return Object.fromEntries(members)
    }
    if (isSensitive(path) && (typeof original === 'string' || typeof original === 'number')) return redacted
    return typeof original === 'string' ? text(original) : original
  }

  return { text, value }
}

function isSensitive(path: readonly string[]): boolean {
  const name = path.at(-1) ?? ''
  // In errors, `name` is the error code, so it is only removed inside of a card.
  const isCardName = name === 'name' && path.includes('card')
  return isCardName || sensitiveMember.test(name) || path.some((parent) => personalMember.test(parent))
}
