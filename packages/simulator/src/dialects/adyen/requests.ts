/**
 * Validates requests, and translates payments into operations of the simulator. Invalid requests get the error that
 * Adyen documents, or the closest one. The functions have no side effects, and read nothing but stored cards.
 */
import type { Reply } from '../../faults.ts'
import { isObject } from '../../protocol.ts'
import type { Account } from '../../simulator-state.ts'
import { type Amount, fromWire, isCurrency } from './amounts.ts'
import { readCard } from './cards.ts'
import type { Details } from './details.ts'
import { invalid, invalidMerchantAccount, serviceError } from './errors.ts'
import { isText, type Members, type Structure, structureProblem } from './structures.ts'
import { paymentProblem } from './validation.ts'

export type OperationBody = { readonly [name: string]: unknown }
type PaymentRequest = { readonly operation: OperationBody; readonly details: Details }

export function isReply(value: object): value is Reply {
  return 'status' in value
}

/** The body of a request of this structure with a merchant account. */
export function readBody(
  structure: Structure,
  body: unknown,
): (Members & { merchantAccount: string }) | Reply {
  if (!isObject(body)) return serviceError(400, '702', 'Unexpected input: expected a JSON object')
  const problem = structureProblem(structure, body)
  if (problem !== null) return problem
  return isText(body.merchantAccount)
    ? { ...body, merchantAccount: body.merchantAccount }
    : invalidMerchantAccount
}

/** The amount in the minor units of the simulator. */
export function readAmount(value: unknown): { amount: number; currency: string } | Reply {
  if (value === undefined) return invalid('100', "Required field 'amount' is not provided.")
  const problem = structureProblem('Amount', value)
  if (problem !== null) return problem
  const amount = value as Amount
  if (typeof amount.currency !== 'string' || !isCurrency(amount.currency))
    return invalid('138', 'Unsupported currency specified')
  const minorUnits = Number.isSafeInteger(amount.value) && amount.value >= 0 ? fromWire(amount) : null
  if (minorUnits === null) return invalid('137', 'Invalid amount specified')
  return { amount: minorUnits, currency: amount.currency.toLowerCase() }
}

/** `POST /payments`. */
export function readPayment(account: Account, request: unknown): PaymentRequest | Reply {
  const body = readBody('PaymentRequest', request)
  if (isReply(body)) return body
  const amount = readAmount(body.amount)
  if (isReply(amount)) return amount
  const problem = paymentProblem(body)
  if (problem !== null) return problem
  const card = readCard(account, body)
  if (isReply(card)) return card
  const isFirst = body.storePaymentMethod === true
  const metadata = (body.metadata ?? {}) as Members
  const authentication = (body.authenticationData ?? {}) as Members
  return {
    operation: {
      kind: amount.amount === 0 ? 'verify' : 'authorize',
      ...amount,
      capture: !isManualCapture(body),
      initiator: isMerchantInitiated(body) ? 'merchant' : 'customer',
      stored_credential: { use: isFirst ? 'first' : 'none' },
      instrument: card.instrument,
      payment_id: metadata.switchyard_payment ?? body.reference,
      return_url: body.returnUrl,
      three_d_secure: authentication.attemptAuthentication === 'always' ? 'required' : 'auto',
      customer: { id: body.shopperReference },
      metadata: { simulate: metadata.simulate },
    },
    details: {
      merchantAccount: body.merchantAccount,
      merchantReference: body.reference as string,
      event: 'AUTHORISATION',
      card: card.card,
      storesFor: isFirst ? (body.shopperReference as string) : null,
    },
  }
}

function isManualCapture({ additionalData }: Members): boolean {
  return isObject(additionalData) && additionalData.manualCapture === 'true'
}

/** With `CardOnFile` the shopper pays with a stored card. */
function isMerchantInitiated({ shopperInteraction, recurringProcessingModel: model }: Members): boolean {
  return shopperInteraction === 'Moto' || (shopperInteraction === 'ContAuth' && model !== 'CardOnFile')
}
