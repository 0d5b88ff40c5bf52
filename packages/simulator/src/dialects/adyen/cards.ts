/** The card of a payment: its number, or a stored card. */
import type { Reply } from '../../faults.ts'
import type { Account } from '../../simulator-state.ts'
import { type Card, findStoredCard } from './details.ts'
import { invalid, notSupported, unknownStoredCard } from './errors.ts'
import { isOneOf, isText, type Members, structureProblem } from './structures.ts'

type CardChoice = { readonly instrument: object; readonly card: Card }

export function readCard(account: Account, { paymentMethod, shopperReference }: Members): CardChoice | Reply {
  const problem = structureProblem('CardDetails', paymentMethod)
  if (problem !== null) return problem
  const method = paymentMethod as Members
  if (!isOneOf(method.type, 'scheme')) return notSupported
  const cvc = plainOf(method, 'cvc', 'encryptedSecurityCode')
  if (cvc !== undefined && !/^\d{3,4}$/.test(String(cvc)))
    return invalid('103', 'CVC is not the right length')
  if (isText(method.storedPaymentMethodId)) {
    const stored = findStoredCard(account, method.storedPaymentMethodId, shopperReference)
    if (stored === null) return unknownStoredCard
    return { instrument: { type: 'token', token: stored.token }, card: stored.card }
  }
  return readNumber(method)
}

function readNumber(method: Members): CardChoice | Reply {
  const number = plainOf(method, 'number', 'encryptedCardNumber')
  const expiryMonth = plainOf(method, 'expiryMonth', 'encryptedExpiryMonth')
  const expiryYear = plainOf(method, 'expiryYear', 'encryptedExpiryYear')
  if (typeof number !== 'string' || !isCardNumber(number)) return invalid('101', 'Invalid card number')
  if (!/^(0?[1-9]|1[0-2])$/.test(String(expiryMonth)) || !/^20\d\d$/.test(String(expiryYear)))
    return invalid('140', 'Invalid expiryMonth[1..12] / expiryYear[>2000], or before now')
  const card = {
    brand: brandOf(number),
    bin: number.slice(0, 6),
    last4: number.slice(-4),
    expiryMonth: String(expiryMonth),
    expiryYear: String(expiryYear),
    holderName: isText(method.holderName) ? method.holderName : null,
  }
  return { instrument: { type: 'card', number }, card }
}

/** Adyen's test environment accepts `test_` and the plain value as an encrypted value. */
function plainOf(method: Members, name: string, encryptedName: string): unknown {
  const encrypted = method[encryptedName]
  return isText(encrypted) && encrypted.startsWith('test_') ? encrypted.slice('test_'.length) : method[name]
}

function isCardNumber(number: string): boolean {
  if (!/^\d{12,19}$/.test(number)) return false
  const digits = [...number].reverse().map(Number)
  const doubled = digits.map((digit, index) =>
    index % 2 === 0 ? digit : digit > 4 ? digit * 2 - 9 : digit * 2,
  )
  return doubled.reduce((sum, digit) => sum + digit, 0) % 10 === 0
}

function brandOf(number: string): string {
  if (number.startsWith('3')) return 'amex'
  return number.startsWith('4') ? 'visa' : 'mc'
}
