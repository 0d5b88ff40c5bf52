/** The responses of payments, from the records of the simulator. No side effects. */
import type { OperationRecord } from '../../protocol.ts'
import { toWire } from './amounts.ts'
import { type Card, type Details, pspReferenceOf, type StoredCard, storedIdOf } from './details.ts'
import { duplicateRefusal, type Refusal, refusalOf } from './refusals.ts'

/** The response to `/payments` and `/payments/details`. */
export function paymentObject(record: OperationRecord, details: Details): object {
  const { merchantReference } = details
  const reference = { pspReference: pspReferenceOf(record), merchantReference }
  switch (record.status) {
    case 'succeeded':
      return {
        ...reference,
        resultCode: 'Authorised',
        amount: amountOf(record),
        paymentMethod: methodOf(details),
        additionalData: approvalData(record, details),
      }
    case 'pending':
      return { ...reference, resultCode: 'Received', amount: amountOf(record) }
    case 'action_required':
      return redirectObject(record, details)
    default:
      return refusedObject(record, details, refusalOf(record.decline ?? { code: '', message: '' }))
  }
}

/** The response if the issuer reports a duplicate, although the payment was authorised. */
export function duplicateObject(record: OperationRecord, details: Details): object {
  return refusedObject(record, details, duplicateRefusal)
}

function refusedObject(record: OperationRecord, details: Details, refusal: Refusal): object {
  const { merchantReference, card } = details
  const { additionalData, ...reason } = refusal
  return {
    pspReference: pspReferenceOf(record),
    merchantReference,
    ...reason,
    amount: amountOf(record),
    additionalData: { ...cardData(card), ...additionalData },
  }
}

/** Adyen may omit the PSP reference until the shopper returns. The emulator omits it if the page opens with a form. */
function redirectObject(record: OperationRecord, { merchantReference, card }: Details): object {
  const { type, url = '', fields } = record.action ?? {}
  const isForm = type === 'form'
  return {
    ...(isForm ? {} : { pspReference: pspReferenceOf(record) }),
    resultCode: 'RedirectShopper',
    action: {
      type: 'redirect',
      paymentMethodType: 'scheme',
      method: isForm ? 'POST' : 'GET',
      url,
      ...(isForm ? { data: fields } : {}),
    },
    additionalData: { ...cardData(card), merchantReference },
  }
}

function amountOf({ amount, currency }: OperationRecord) {
  return toWire(amount ?? 0, currency ?? '')
}

function methodOf({ card }: Details): object {
  return { type: 'scheme', ...(card === null ? {} : { brand: card.brand }) }
}

/** The additional data of an approval, in the response and in the webhook. */
export function approvalData(record: OperationRecord, details: Details): { readonly [name: string]: string } {
  const { network_transaction_id: networkReference } = record
  const id = storedIdOf(record, details)
  return {
    ...cardData(details.card),
    authCode: authCodeOf(record),
    refusalReasonRaw: 'AUTHORISED',
    ...(networkReference === undefined ? {} : { networkTxReference: networkReference }),
    ...(id === null
      ? {}
      : {
          'tokenization.shopperReference': details.storesFor ?? '',
          'tokenization.storedPaymentMethodId': id,
          'tokenization.store.operationType': 'created',
        }),
  }
}

export function authCodeOf({ network_transaction_id: id = '' }: OperationRecord): string {
  return id.slice(0, 6)
}

function cardData(card: Card | null): { readonly [name: string]: string } {
  if (card === null) return {}
  const { brand, bin, last4, expiryMonth, expiryYear } = card
  const expiryDate = `${Number(expiryMonth)}/${expiryYear}`
  return { cardBin: bin, cardSummary: last4, expiryDate, paymentMethod: brand }
}

export function storedCardObject({ id, shopperReference, card }: StoredCard): object {
  const { brand, last4: lastFour, expiryMonth, expiryYear, holderName } = card
  return {
    id,
    type: 'scheme',
    name: brand.toUpperCase(),
    brand,
    lastFour,
    expiryMonth,
    expiryYear,
    ...(holderName === null ? {} : { holderName }),
    shopperReference,
    supportedRecurringProcessingModels: ['CardOnFile', 'Subscription', 'UnscheduledCardOnFile'],
  }
}
