/** Stored payment methods, and the list of payment methods. */
import type { Reply } from '../../faults.ts'
import type { IncomingCall } from '../../incoming.ts'
import { deleteToken } from '../../simulator-state.ts'
import type { DialectContext } from '../dialect.ts'
import { findStoredCard, storedCardsOf } from './details.ts'
import { invalid, invalidMerchantAccount, unknownStoredCard } from './errors.ts'
import { storedCardObject } from './objects.ts'
import { isReply, readBody } from './requests.ts'
import { isText } from './structures.ts'

export function listPaymentMethods({ account }: DialectContext, { body: request }: IncomingCall): Reply {
  const body = readBody('PaymentMethodsRequest', request)
  if (isReply(body)) return body
  const paymentMethods = [{ name: 'Cards', type: 'scheme', brands: ['visa', 'mc', 'amex'] }]
  const { shopperReference } = body
  if (!isText(shopperReference)) return { status: 200, body: { paymentMethods } }
  const storedPaymentMethods = storedCardsOf(account, shopperReference).map(storedCardObject)
  return { status: 200, body: { paymentMethods, storedPaymentMethods } }
}

export function listStoredCards({ account }: DialectContext, { query }: IncomingCall): Reply {
  const [merchantAccount, shopperReference] = [query.get('merchantAccount'), query.get('shopperReference')]
  if (!merchantAccount) return invalidMerchantAccount
  if (!shopperReference) return invalid('702', "Required field 'shopperReference' is not provided.")
  const storedPaymentMethods = storedCardsOf(account, shopperReference).map(storedCardObject)
  return { status: 200, body: { merchantAccount, shopperReference, storedPaymentMethods } }
}

export function deleteStoredCard(
  { state, account }: DialectContext,
  { query }: IncomingCall,
  id: string,
): Reply {
  if (!query.get('merchantAccount')) return invalidMerchantAccount
  const stored = findStoredCard(account, id, query.get('shopperReference'))
  if (stored === null) return unknownStoredCard
  deleteToken(state, account, stored.token)
  return { status: 204 }
}
