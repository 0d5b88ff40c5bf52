/**
 * Card tokens and reasons for failures. Mollie Components creates tokens in the browser with an API that is not
 * documented, so the emulator only accepts `tkn_sim_<scenario>`. No side effects.
 */
import { cardNumberForScenario, scenarioOfNumber, testCards } from '../../cards.ts'
import type { Decline } from '../../protocol.ts'

/**
 * The card number of a token such as `tkn_sim_5004`, `tkn_sim_0051`, `tkn_sim_decline_51`, `tkn_sim_advice_03` or
 * `tkn_sim_approve`; null if there is none.
 */
export function cardNumberOfToken(token: string): string | null {
  const [, name = ''] = /^tkn_sim_(\w+)$/.exec(token) ?? []
  return cardNumberOf(/^\d{4}$/.test(name) ? name : name.replace('_', ':'))
}

/** The number of the test card with the scenario. */
function cardNumberOf(scenario: string): string | null {
  // Mollie always redirects the payer. It never opens the 3-D Secure page with a form.
  if (scenario === '3005') return cardNumberForScenario('3000')
  const known = testCards.find((card) => card.scenario === scenario)
  if (known !== undefined) return known.number
  const [, code] = /^(?:decline:|00)(\d\d)$/.exec(scenario) ?? []
  if (code === undefined) return null
  const number = cardNumberForScenario(`00${code}`)
  return scenarioOfNumber(number) === null ? null : number
}

/** The details of a card that Mollie shows. */
export function cardDetailsOf(scenario: string): object {
  const number = cardNumberOf(scenario) ?? ''
  const label = { 3: 'American Express', 5: 'Mastercard' }[number[0] ?? ''] ?? 'Visa'
  return {
    cardHolder: 'T. Tester',
    cardNumber: number.slice(-4),
    cardLabel: label,
    cardFingerprint: `fingerprint_${scenario.replace(':', '_')}`,
    cardCountryCode: 'NL',
    cardAudience: 'consumer',
  }
}

// biome-ignore format: a table.
const failureReasons: { readonly [code: string]: string } = {
  authentication_abandoned:   'authentication_abandoned',
  authentication_failed:      'authentication_failed',
  authentication_required:    'authentication_required',
  authentication_unavailable: 'authentication_unavailable_acs',
  blocked_by_cardholder:      'inactive_card',
  call_issuer:                'refused_by_issuer',
  do_not_honor:               'refused_by_issuer',
  expired_card:               'card_expired',
  first_use_blocked:          'inactive_card',
  incorrect_cvc:              'invalid_cvv',
  insufficient_funds:         'insufficient_funds',
  invalid_number:             'invalid_card_number',
  issuer_unavailable:         'unknown_reason',
  network_unavailable:        'unknown_reason',
  no_such_issuer:             'invalid_card_type',
  processing_error:           'unknown_reason',
  restricted_card:            'inactive_card',
  security_violation:         'possible_fraud',
  suspected_fraud:            'possible_fraud',
}

/** Mollie reports one of 15 reasons; other declines of the issuer are `card_declined`. */
export function failureOf({ code, message }: Decline) {
  return { failureReason: failureReasons[code] ?? 'card_declined', failureMessage: message }
}
