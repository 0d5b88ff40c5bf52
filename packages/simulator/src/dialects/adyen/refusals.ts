/** The refusal reasons of Adyen for the declines of the simulator. No side effects. */
import type { Decline } from '../../protocol.ts'

export type Refusal = {
  readonly resultCode: 'Refused' | 'Error' | 'Cancelled'
  readonly refusalReason: string
  readonly refusalReasonCode: string
  readonly additionalData: { readonly [name: string]: string }
}

/** Codes without a reason of their own are `Refused`; the raw response contains the code of the network. */
// biome-ignore format: a table.
const reasons: { readonly [code: string]: readonly [number: string, name: string] } = {
  call_issuer:                ['3',  'Referral'],
  processing_error:           ['4',  'Acquirer Error'],
  lost_card:                  ['5',  'Blocked Card'],
  stolen_card:                ['5',  'Blocked Card'],
  pick_up_card:               ['5',  'Blocked Card'],
  expired_card:               ['6',  'Expired Card'],
  amount_not_supported:       ['7',  'Invalid Amount'],
  invalid_number:             ['8',  'Invalid Card Number'],
  issuer_unavailable:         ['9',  'Issuer Unavailable'],
  authentication_failed:      ['11', '3D Not Authenticated'],
  insufficient_funds:         ['12', 'Not enough balance'],
  authentication_abandoned:   ['16', 'Shopper Cancelled'],
  incorrect_pin:              ['17', 'Invalid Pin'],
  pin_tries_exceeded:         ['18', 'Pin tries exceeded'],
  transaction_not_permitted:  ['23', 'Transaction Not Permitted'],
  incorrect_cvc:              ['24', 'CVC Declined'],
  restricted_card:            ['25', 'Restricted Card'],
  recurring_stopped:          ['26', 'Revocation Of Auth'],
  invalid_transaction:        ['27', 'Declined Non Generic'],
  amount_limit_exceeded:      ['28', 'Withdrawal amount exceeded'],
  frequency_limit_exceeded:   ['29', 'Withdrawal count exceeded'],
  suspected_fraud:            ['31', 'Issuer Suspected Fraud'],
  authentication_required:    ['38', 'Authentication required'],
  authentication_unavailable: ['42', '3DS Authentication Error'],
}

const resultCodes: { readonly [number: string]: Refusal['resultCode'] } = { 4: 'Error', 16: 'Cancelled' }

export function refusalOf({
  code,
  network_code: networkCode,
  advice_code: advice,
  message,
}: Decline): Refusal {
  const [number, name] = reasons[code] ?? ['2', 'Refused']
  return {
    resultCode: resultCodes[number] ?? 'Refused',
    refusalReason: name,
    refusalReasonCode: number,
    additionalData: {
      ...(networkCode === undefined ? {} : { refusalReasonRaw: `${networkCode} : ${message}` }),
      ...(advice === undefined ? {} : { merchantAdviceCode: `${advice} : ${message}` }),
    },
  }
}

/** The issuer reports that it has already seen the transaction. */
export const duplicateRefusal: Refusal = {
  resultCode: 'Refused',
  refusalReason: 'Refused',
  refusalReasonCode: '2',
  additionalData: { refusalReasonRaw: '94 : Duplicate transmission' },
}
