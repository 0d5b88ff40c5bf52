/** Maps the response codes and error issues of PayPal to our decline codes. */
import type { DeclineTable } from '../connector-page.ts'
import type { DeclineCode } from '../declines.ts'

/**
 * `processor_response.response_code` of a declined authorization or capture. Codes about duplicates are
 * omitted on purpose: see `duplicateCodes`.
 */
// biome-ignore format: a table.
export const processorCodes: ReadonlyMap<string, DeclineCode> = new Map([
  // Approved by the issuer, but declined by PayPal.
  ['0000', 'blocked_by_provider'],
  ['00N7', 'incorrect_cvc'],             ['0100', 'call_issuer'],               ['0390', 'invalid_number'],
  ['0500', 'do_not_honor'],              ['0580', 'transaction_not_permitted'], ['0880', 'security_violation'],
  ['0890', 'incorrect_pin'],             ['0960', 'processing_error'],          ['0R00', 'recurring_stopped'],
  ['10BR', 'blocked_by_issuer'],         ['1300', 'provider_request_invalid'],  ['1310', 'amount_not_supported'],
  ['1312', 'invalid_transaction'],       ['1320', 'currency_not_supported'],    ['1330', 'invalid_number'],
  ['1335', 'invalid_number'],            ['1340', 'invalid_merchant'],          ['1350', 'invalid_merchant'],
  ['1352', 'restricted_card'],           ['1360', 'provider_request_invalid'],  ['1370', 'invalid_merchant'],
  ['1380', 'invalid_expiry'],            ['1382', 'incorrect_cvc'],             ['1384', 'invalid_transaction'],
  ['1390', 'invalid_transaction'],       ['1393', 'generic_decline'],
  ['5100', 'generic_decline'],           ['5110', 'incorrect_cvc'],             ['5120', 'insufficient_funds'],
  ['5130', 'incorrect_pin'],             ['5135', 'pin_tries_exceeded'],        ['5140', 'account_closed'],
  ['5150', 'pick_up_card'],              ['5160', 'transaction_not_permitted'], ['5170', 'incorrect_address'],
  ['5180', 'restricted_card'],           ['5190', 'incorrect_address'],         ['5210', 'invalid_transaction'],
  ['5400', 'expired_card'],              ['5500', 'incorrect_pin'],             ['5650', 'authentication_required'],
  ['5700', 'transaction_not_permitted'], ['5710', 'frequency_limit_exceeded'],  ['5900', 'no_such_issuer'],
  ['5910', 'issuer_unavailable'],        ['5920', 'issuer_unavailable'],        ['5930', 'first_use_blocked'],
  ['5950', 'account_closed'],            ['6300', 'invalid_number'],
  // 7700 is a technical error of 3-D Secure, not a failed authentication.
  ['7700', 'authentication_unavailable'],
  ['7710', 'authentication_failed'],     ['7800', 'no_such_issuer'],            ['7900', 'incorrect_pin'],
  ['8000', 'processing_error'],          ['8010', 'processing_error'],          ['8020', 'invalid_merchant'],
  ['8030', 'invalid_transaction'],       ['8100', 'network_unavailable'],       ['8110', 'network_unavailable'],
  ['8220', 'network_unavailable'],
  ['9100', 'reentry_requested'],         ['9500', 'suspected_fraud'],           ['9510', 'security_violation'],
  ['9520', 'lost_card'],                 ['9530', 'call_issuer'],               ['9540', 'do_not_honor'],
  ['PCVV', 'incorrect_cvc'],             ['PP06', 'account_closed'],            ['PPRN', 'issuer_never_approves'],
  ['PPAD', 'incorrect_address'],         ['PPAB', 'blocked_by_issuer'],         ['PPAE', 'card_not_supported'],
  ['PPAI', 'amount_not_supported'],      ['PPAV', 'incorrect_address'],         ['PPAX', 'amount_limit_exceeded'],
  ['PPC2', 'incorrect_cvc'],             ['PPCE', 'invalid_merchant'],          ['PPCT', 'card_not_supported'],
  ['PPCU', 'currency_not_supported'],    ['PPD3', 'authentication_failed'],     ['PPDI', 'card_not_supported'],
  ['PPEF', 'expired_card'],              ['PPEL', 'frequency_limit_exceeded'],  ['PPER', 'processing_error'],
  ['PPEX', 'invalid_expiry'],            ['PPFI', 'invalid_number'],            ['PPFR', 'restricted_card'],
  ['PPMC', 'card_not_supported'],        ['PPNL', 'frequency_limit_exceeded'],  ['PPNM', 'invalid_merchant'],
  ['PPNT', 'network_unavailable'],       ['PPRR', 'invalid_merchant'],          ['PPSC', 'suspected_fraud'],
  ['PPSE', 'do_not_honor'],              ['PPUC', 'currency_not_supported'],
] as const)

/** "Duplicate transaction" and "idempotency failure" may refer to our own first request, which may have succeeded. */
export const duplicateCodes: ReadonlySet<string> = new Set(['5200', 'PPIF'])

/** Issues of a 422 response that decline the payment, capture or refund. */
// biome-ignore format: a table.
export const declinedIssues: ReadonlyMap<string, DeclineCode> = new Map([
  ['INSTRUMENT_DECLINED',                     'generic_decline'],
  ['PAYMENT_SOURCE_DECLINED_BY_PROCESSOR',    'generic_decline'],
  ['PAYMENT_SOURCE_CANNOT_BE_USED',           'card_not_supported'],
  ['PAYMENT_SOURCE_INFO_CANNOT_BE_VERIFIED',  'incorrect_address'],
  ['CARD_BRAND_NOT_SUPPORTED',                'card_not_supported'],
  ['CARD_EXPIRED',                            'expired_card'],
  ['REFERENCED_CARD_EXPIRED',                 'expired_card'],
  ['INVALID_EXPIRY_DATE',                     'invalid_expiry'],
  ['INVALID_SECURITY_CODE_LENGTH',            'incorrect_cvc'],
  ['BILLING_ADDRESS_INVALID',                 'incorrect_address'],
  ['TOKEN_EXPIRED',                           'stored_credential_invalid'],
  ['TOKEN_ID_NOT_FOUND',                      'stored_credential_invalid'],
  ['COMPLIANCE_VIOLATION',                    'legal_restriction'],
  ['DOMESTIC_TRANSACTION_REQUIRED',           'transaction_not_permitted'],
  ['MAX_NUMBER_OF_PAYMENT_ATTEMPTS_EXCEEDED', 'frequency_limit_exceeded'],
  ['PAYEE_BLOCKED_TRANSACTION',               'blocked_by_provider'],
  ['TRANSACTION_BLOCKED_BY_PAYEE',            'blocked_by_provider'],
  ['TRANSACTION_REFUSED',                     'blocked_by_provider'],
  ['PAYER_ACCOUNT_LOCKED_OR_CLOSED',          'account_closed'],
  ['PAYER_ACCOUNT_RESTRICTED',                'restricted_card'],
  ['PAYER_CANNOT_PAY',                        'transaction_not_permitted'],
  ['TRANSACTION_LIMIT_EXCEEDED',              'amount_limit_exceeded'],
  ['TRANSACTION_RECEIVING_LIMIT_EXCEEDED',    'amount_not_supported'],
  ['REFUND_FAILED_INSUFFICIENT_FUNDS',        'insufficient_funds'],
] as const)

/**
 * Issues of a 422 response that reject the request before it is processed. Issues about an earlier request, such as
 * `DUPLICATE_INVOICE_ID` or `ORDER_ALREADY_CAPTURED`, are omitted on purpose: that request may have been
 * ours.
 */
// biome-ignore format: a table.
export const rejectedIssues: ReadonlyMap<string, DeclineCode> = new Map([
  ...[
    'CANNOT_BE_ZERO_OR_NEGATIVE', 'CANNOT_BE_NEGATIVE', 'DECIMAL_PRECISION', 'DECIMALS_NOT_SUPPORTED',
    'MAX_VALUE_EXCEEDED', 'INVALID_CURRENCY_CODE', 'CITY_REQUIRED', 'POSTAL_CODE_REQUIRED', 'CARD_NUMBER_REQUIRED',
    'CARD_EXPIRY_REQUIRED', 'INCOMPATIBLE_PARAMETER_VALUE', 'ONE_OF_PARAMETERS_REQUIRED', 'UNSUPPORTED_INTENT',
    'UNSUPPORTED_INTENT_FOR_PAYMENT_SOURCE', 'MISMATCHED_VAULT_ID_TO_PAYMENT_SOURCE', 'PAYMENT_SOURCE_NOT_SUPPORTED',
    'NOT_ENABLED_TO_VAULT_PAYMENT_SOURCE', 'VAULT_INSTRUCTION_REQUIRED', 'RETURN_URL_REQUIRED', 'CANCEL_URL_REQUIRED',
    'MERCHANT_INITIATED_WITH_SECURITY_CODE', 'REQUIRED_PARAMETER_FOR_CUSTOMER_INITIATED_PAYMENT',
    'MISSING_PREVIOUS_REFERENCE', 'INVALID_PREVIOUS_TRANSACTION_REFERENCE', 'AUTH_CAPTURE_NOT_ENABLED',
    'NOT_ENABLED_FOR_CARD_PROCESSING', 'PAYEE_NOT_ENABLED_FOR_CARD_PROCESSING', 'PAYEE_ACCOUNT_INVALID',
    'PAYEE_ACCOUNT_LOCKED_OR_CLOSED', 'PAYEE_ACCOUNT_RESTRICTED',
    'AUTHORIZATION_VOIDED', 'AUTHORIZATION_DENIED', 'AUTHORIZATION_EXPIRED', 'AUTH_CAPTURE_CURRENCY_MISMATCH',
    'MAX_CAPTURE_COUNT_EXCEEDED', 'MAX_CAPTURE_AMOUNT_EXCEEDED', 'PREVIOUSLY_CAPTURED', 'CANNOT_BE_VOIDED',
    'CURRENCY_MISMATCH', 'CAPTURE_FULLY_REFUNDED', 'REFUND_CAPTURE_CURRENCY_MISMATCH', 'REFUND_NOT_ALLOWED',
    'REFUND_TIME_LIMIT_EXCEEDED', 'REFUND_AMOUNT_EXCEEDED', 'REFUND_AMOUNT_TOO_LOW', 'PARTIAL_REFUND_NOT_ALLOWED',
    'MAX_NUMBER_OF_REFUNDS_EXCEEDED', 'REFUND_NOT_PERMITTED_DUE_TO_CHARGEBACK', 'TRANSACTION_DISPUTED',
    'REFUND_IS_RESTRICTED',
  ].map((issue) => [issue, 'provider_request_invalid'] as const),
  // The core sends the refund again later, when the capture may have completed.
  ['PENDING_CAPTURE', 'provider_error'],
])

export const declineTables: readonly DeclineTable[] = [
  {
    title: '`processor_response.response_code` of an authorization or capture',
    codes: [...processorCodes],
    others: '`generic_decline`',
    inconclusive: [...duplicateCodes],
  },
  {
    title: '`details.issue` of a 422 response that declines the payment',
    codes: [...declinedIssues],
    others: 'the next table',
  },
  {
    title: '`details.issue` of a 422 response that rejects the request',
    codes: [...rejectedIssues],
    others: 'the outcome is unknown',
  },
]
