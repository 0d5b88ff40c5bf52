/** Error responses of Adyen's API. */
import type { Reply } from '../../faults.ts'

type ErrorType = 'validation' | 'security' | 'internal' | 'configuration'

export function serviceError(
  status: number,
  errorCode: string,
  message: string,
  errorType: ErrorType = 'validation',
): Reply {
  return { status, body: { status, errorCode, message, errorType } }
}

export const invalid = (errorCode: string, message: string): Reply => serviceError(422, errorCode, message)

export const unauthorized = serviceError(401, '000', 'HTTP Status Response - Unauthorized', 'security')
export const invalidMerchantAccount = serviceError(403, '901', 'Invalid Merchant Account', 'security')
export const notSupported = serviceError(500, '905', 'Payment details are not supported', 'configuration')
export const unknownPayment = invalid('167', 'Original pspReference required for this operation')
export const unknownStoredCard = invalid('803', 'PaymentDetail not found')
export const keyInUse = invalid('704', 'request already processed or in progress')

/** Adyen did not process the request: a repeat with the same idempotency key counts as the first request. */
export function transient(reply: Reply): Reply {
  return { ...reply, headers: { 'transient-error': 'true' } }
}

export function isTransient({ headers }: Reply): boolean {
  return headers?.['transient-error'] === 'true'
}
