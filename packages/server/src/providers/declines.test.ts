// The decline table, row by row in the same order.

import { expect, test } from 'vitest'
import {
  codeOfNetwork,
  codeWithAdvice,
  declineCodes,
  declineOf,
  isDuplicateNotice,
  isProviderCode,
  notBeforeHours,
  payerTexts,
} from './declines.ts'

/** `class same cascade later advice`, and the codes with their network codes. */
// biome-ignore format: a table.
const expected: [string, Record<string, string>][] = [
  ['technical no yes yes try_later', { issuer_unavailable: '91 92', provider_error: '', provider_rate_limited: '', network_unavailable: '90' }],
  ['technical once yes yes try_again', { processing_error: '06 96', reentry_requested: '19', authentication_unavailable: '', stored_credential_invalid: '' }],
  ['configuration no yes yes contact_merchant', { provider_credentials_invalid: '', invalid_merchant: '03', not_permitted_to_merchant: '58' }],
  ['configuration no yes no other_method', { currency_not_supported: '', card_not_supported: '', amount_not_supported: '13', provider_request_invalid: '30' }],
  ['configuration no no yes contact_merchant', { no_eligible_provider: '' }],
  ['technical no no yes try_later', { vault_unavailable: '' }],
  ['configuration no no yes contact_merchant', { vault_rejected: '' }],
  ['soft no once yes other_method', { do_not_honor: '05', generic_decline: '' }],
  ['soft no no yes other_method', { insufficient_funds: '51', amount_limit_exceeded: '61', frequency_limit_exceeded: '65', restricted_card: '36 62', blocked_by_issuer: '5C' }],
  ['soft no no yes contact_bank', { call_issuer: '01 02', blocked_by_cardholder: '9G', first_use_blocked: '78', pin_tries_exceeded: '75' }],
  ['hard no no no other_method', { lost_card: '41', stolen_card: '43', pick_up_card: '04 07', account_closed: '46', no_such_issuer: '15', invalid_transaction: '12', transaction_not_permitted: '57', legal_restriction: '93', issuer_never_approves: '' }],
  ['soft no no yes other_method', { debit_returned: '' }],
  ['hard no no no contact_merchant', { recurring_stopped: 'R0 R1 R3' }],
  ['hard no no new_card update_card', { expired_card: '54' }],
  ['hard no no after_window card_limit', { retry_limit_reached: '' }],
  ['data no no payer check_details', { invalid_number: '14', invalid_expiry: '', incorrect_cvc: 'N7 82', incorrect_address: '', incorrect_pin: '55' }],
  ['authentication once_with_3ds no payer authenticate', { authentication_required: '1A 70' }],
  ['authentication no no payer authenticate', { authentication_failed: '', authentication_abandoned: '' }],
  ['fraud no no no other_method', { suspected_fraud: '34 59 83', blocked_by_provider: '', security_violation: '63', blocked_by_rule: '' }],
]

const cases = expected.flatMap(([rule, codes]) =>
  Object.entries(codes).map(([code, network]) => ({
    code,
    rule,
    network: network.split(' ').filter(Boolean),
  })),
)

test.each(cases)('$code: $rule, from $network', ({ code, rule, network }) => {
  const { class: kind, same, cascade, later, advice } = declineOf(code)

  expect([kind, same, cascade, later, advice].join(' ')).toBe(rule)
  for (const text of network) expect(codeOfNetwork('visa', text)).toBe(code)
})

test('the table contains exactly these codes', () => {
  expect([...declineCodes].sort()).toEqual(cases.map(({ code }) => code).sort())
})

test('every possible network code of two characters maps to a code of the table', () => {
  const characters = [...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ']
  const known = new Map(cases.flatMap(({ code, network }) => network.map((text) => [text, code] as const)))

  for (const first of characters)
    for (const second of characters)
      expect(codeOfNetwork('visa', first + second)).toBe(known.get(first + second) ?? 'generic_decline')
})

test.each(['', 'stolen', '__proto__', 'constructor', 'toString'])(
  'a code such as %j is a generic decline',
  (code) => {
    expect(codeOfNetwork('visa', code)).toBe('generic_decline')
    expect(declineOf(code)).toEqual(declineOf('generic_decline'))
    expect(isProviderCode(code)).toBe(false)
  },
)

// biome-ignore format: a table.
test.each([
  ['mastercard', '05', '03', 'issuer_never_approves'],
  ['mastercard', '51', '03', 'issuer_never_approves'],
  ['mastercard', '79', '21', 'recurring_stopped'],
  ['mastercard', '43', '03', 'stolen_card'],
  ['mastercard', '59', '21', 'suspected_fraud'],
  ['mastercard', '51', '24', 'insufficient_funds'],
  ['mastercard', '51', '99', 'insufficient_funds'],
  ['visa',       '05', '03', 'do_not_honor'],
] as const)('%s %s with advice %s is %s', (network, code, advice, expectedCode) => {
  expect(codeOfNetwork(network, code, advice)).toBe(expectedCode)
})

test('advice codes define how long to wait', () => {
  const hours = ['24', '25', '26', '27', '28', '29', '30', '03', 'x'].map(notBeforeHours)

  expect(hours).toEqual([1, 24, 48, 96, 144, 192, 240, null, null])
  expect(codeWithAdvice('do_not_honor', '25')).toBe('do_not_honor')
})

test('a duplicate notice is not a decline, since it may refer to a success', () => {
  expect([isDuplicateNotice('94'), isDuplicateNotice('05')]).toEqual([true, false])
})

test('codes reserved for us are not accepted from providers, and invalid credentials raise an alarm', () => {
  const ours = declineCodes.filter((code) => !isProviderCode(code))
  const alarms = declineCodes.filter((code) => declineOf(code).alarm)

  expect(ours).toEqual([
    'no_eligible_provider',
    'vault_unavailable',
    'vault_rejected',
    'debit_returned',
    'retry_limit_reached',
    'blocked_by_rule',
  ])
  expect(alarms).toEqual(['provider_credentials_invalid', 'invalid_merchant', 'not_permitted_to_merchant'])
})

test('messages for payers never mention lost, stolen or fraud', () => {
  for (const code of declineCodes) expect(payerTexts[declineOf(code).advice]).toMatch(/^[A-Z][^!]+\.$/)
  expect(Object.values(payerTexts).join(' ')).not.toMatch(/lost|stolen|fraud/i)
})
