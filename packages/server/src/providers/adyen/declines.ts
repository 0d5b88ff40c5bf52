/**
 * Adyen's refusal reasons and our decline codes, from docs.adyen.com/development-resources/refusal-reasons (read in
 * November 2026). API responses contain the number of a reason, webhooks only its name.
 */
import type { DeclineTable } from '../connector-page.ts'
import type { Decline } from '../contract.ts'
import { codeOfNetwork, codeWithAdvice, type DeclineCode } from '../declines.ts'

/** The numbers 33 to 37, 40, 41 and 43 to 45 only concern payments at a terminal. */
// biome-ignore format: a table.
const reasons: readonly (readonly [number: string, name: string, code: DeclineCode])[] = [
  ['2',  'Refused',                               'generic_decline'],
  ['3',  'Referral',                              'call_issuer'],
  ['4',  'Acquirer Error',                        'processing_error'],
  ['5',  'Blocked Card',                          'pick_up_card'],
  ['6',  'Expired Card',                          'expired_card'],
  ['7',  'Invalid Amount',                        'amount_not_supported'],
  ['8',  'Invalid Card Number',                   'invalid_number'],
  ['9',  'Issuer Unavailable',                    'issuer_unavailable'],
  ['10', 'Not supported',                         'transaction_not_permitted'],
  ['11', '3D Not Authenticated',                  'authentication_failed'],
  ['12', 'Not enough balance',                    'insufficient_funds'],
  ['14', 'Acquirer Fraud',                        'suspected_fraud'],
  // Not a generic decline: a payer who cancelled must not be charged through another provider.
  ['15', 'Cancelled',                             'authentication_abandoned'],
  ['16', 'Shopper Cancelled',                     'authentication_abandoned'],
  ['17', 'Invalid Pin',                           'incorrect_pin'],
  ['18', 'Pin tries exceeded',                    'pin_tries_exceeded'],
  ['19', 'Pin validation not possible',           'processing_error'],
  ['20', 'FRAUD',                                 'blocked_by_provider'],
  ['21', 'Not Submitted',                         'processing_error'],
  ['22', 'FRAUD-CANCELLED',                       'blocked_by_provider'],
  ['23', 'Transaction Not Permitted',             'transaction_not_permitted'],
  ['24', 'CVC Declined',                          'incorrect_cvc'],
  ['25', 'Restricted Card',                       'restricted_card'],
  ['26', 'Revocation Of Auth',                    'recurring_stopped'],
  ['27', 'Declined Non Generic',                  'generic_decline'],
  ['28', 'Withdrawal amount exceeded',            'amount_limit_exceeded'],
  ['29', 'Withdrawal count exceeded',             'frequency_limit_exceeded'],
  ['31', 'Issuer Suspected Fraud',                'suspected_fraud'],
  ['32', 'AVS Declined',                          'incorrect_address'],
  ['33', 'Card requires online pin',              'transaction_not_permitted'],
  ['34', 'No checking account available on Card', 'transaction_not_permitted'],
  ['35', 'No savings account available on Card',  'transaction_not_permitted'],
  ['36', 'Mobile pin required',                   'transaction_not_permitted'],
  ['37', 'Contactless fallback',                  'transaction_not_permitted'],
  ['38', 'Authentication required',               'authentication_required'],
  // Numbers 39 and 42 mean that the issuer or the card network failed, not the payer.
  ['39', 'RReq not received from DS',             'authentication_unavailable'],
  ['40', 'Current AID is in Penalty Box',         'processing_error'],
  ['41', 'CVM Required Restart Payment',          'transaction_not_permitted'],
  ['42', '3DS Authentication Error',              'authentication_unavailable'],
  ['43', 'Online PIN required',                   'transaction_not_permitted'],
  ['44', 'Try another interface',                 'transaction_not_permitted'],
  ['45', 'Chip downgrade mode',                   'transaction_not_permitted'],
  ['46', 'Transaction blocked by Adyen to prevent excessive retry fees', 'blocked_by_provider'],
]
const byNumber: ReadonlyMap<string, DeclineCode> = new Map(reasons.map(([number, , code]) => [number, code]))
const numberByName: ReadonlyMap<string, string> = new Map(reasons.map(([number, name]) => [name, number]))

export const declineTables: readonly DeclineTable[] = [
  {
    title: '`refusalReasonCode` and `refusalReason` of a payment',
    codes: reasons.map(([number, name, code]) => [`${number} ${name}`, code]),
    others: 'by the code of the card network, or `generic_decline`',
  },
]

/** These reasons cover several network codes, so a known network code is more specific. */
const broadReasons: readonly string[] = ['2', '5', '25', '27']

export type RawCodes = {
  readonly networkCode?: string | undefined
  readonly adviceCode?: string | undefined
}

export type Refusal = RawCodes & {
  readonly number?: string | undefined
  readonly name?: string | undefined
}

/** The codes in the additional data of a response or webhook: `51 : Insufficient funds`. */
export function rawCodesIn({ refusalReasonRaw, merchantAdviceCode }: AdditionalData): RawCodes {
  return {
    networkCode: codeIn(/^([0-9A-Z]{2}) ?:/, refusalReasonRaw),
    adviceCode: codeIn(/^([0-9]{2})\b/, merchantAdviceCode),
  }
}

type AdditionalData = { readonly refusalReasonRaw?: unknown; readonly merchantAdviceCode?: unknown }

function codeIn(pattern: RegExp, value: unknown): string | undefined {
  return typeof value === 'string' ? pattern.exec(value)?.[1] : undefined
}

export function declineOfRefusal({ number = '', name, networkCode, adviceCode }: Refusal): Decline {
  const ofReason = byNumber.get(number)
  const ofNetwork = codeOfNetwork('any', networkCode ?? '')
  const isBroad = ofReason === undefined || broadReasons.includes(number)
  const code = isBroad && ofNetwork !== 'generic_decline' ? ofNetwork : (ofReason ?? 'generic_decline')
  return {
    code: adviceCode === undefined ? code : codeWithAdvice(code, adviceCode),
    ...(networkCode === undefined ? {} : { networkCode }),
    ...(adviceCode === undefined ? {} : { adviceCode }),
    ...(name ? { message: name } : {}),
  }
}

/** For webhooks. The name and the codes are not signed: they only explain a refusal that the signed members prove. */
export function declineOfReason(name: string | null | undefined, codes: RawCodes = {}): Decline {
  return declineOfRefusal({ number: numberByName.get(name ?? ''), name: name ?? undefined, ...codes })
}
