/** The cards of the smoke test: numbers and tokens from the environment, and documented test cards of providers. */
import { machineTime } from '../../packages/server/src/kernel/clock.ts'
import type { Instrument } from '../../packages/server/src/providers/contract.ts'
import type { ConnectorName } from '../../packages/server/src/providers/provider-names.ts'
import { testCards } from '../../packages/simulator/src/index.ts'

/** How the provider treats a card: it approves, it declines, or it requires 3-D Secure. */
export const cardUses = ['approved', 'declined', 'challenged'] as const
export type CardUse = (typeof cardUses)[number]
/**
 * `number MM/YY cvc name`, where only the number is required, or a token. Several are separated by commas.
 */
export type CardTexts = { readonly [Use in CardUse]?: string }

/** Test cards in the documentation of the providers (2026-11). Mollie has only tokens that its form fields create. */
export const sandboxCards: { readonly [Name in ConnectorName]: CardTexts } = {
  stripe: {
    approved: 'pm_card_visa',
    declined: 'pm_card_visa_chargeDeclined',
    challenged: 'pm_card_threeDSecure2Required',
  },
  adyen: {
    approved: '4111111111111111 03/30 737',
    declined: '4111111111111111 03/30 737 DECLINED',
    challenged: '4917610000000000 03/30 737',
  },
  mollie: {},
  checkout_com: {
    approved: '4242424242424242 12/30 100',
    declined: '4544249167673670 12/30 100',
    challenged: '4242424242424242 12/30 100',
  },
  paypal: {
    approved: '4012888888881881',
    declined: '4012888888881881 12/30 123 CCREJECT-REFUSED',
    challenged: '4868719460707704',
  },
}

const cardNumberOf = (wanted: string) => testCards.find(({ scenario }) => scenario === wanted)?.number ?? ''
const simulatorCards: CardTexts = {
  approved: cardNumberOf('approve'),
  declined: cardNumberOf('decline:05'),
  challenged: cardNumberOf('3000'),
}

/** The cards of the emulators. */
export const emulatedCards: { readonly [Name in ConnectorName]: CardTexts } = {
  stripe: sandboxCards.stripe,
  adyen: simulatorCards,
  mollie: { approved: 'tkn_sim_approve', declined: 'tkn_sim_decline_05', challenged: 'tkn_sim_3000' },
  checkout_com: simulatorCards,
  paypal: simulatorCards,
}

export type Cards = {
  /** The next card of the list. The last one is used for all further payments. */
  take(use: CardUse): Instrument
  /** All numbers, tokens and security codes, which must not appear in the transcript. */
  readonly secrets: readonly string[]
}

export function cardsOf(texts: CardTexts): Cards {
  const lists = new Map(cardUses.map((use) => [use, instrumentsIn(texts[use] ?? '')]))
  const all = [...lists.values()].flat()
  return {
    take(use) {
      const list = lists.get(use) ?? []
      const [first] = list.length > 1 ? list.splice(0, 1) : list
      if (first === undefined) throw new Error(`There is no card that is ${use}.`)
      return first
    },
    secrets: all.flatMap((card) => (card.type === 'token' ? [card.token] : [card.number, card.cvc ?? ''])),
  }
}

function instrumentsIn(texts: string): Instrument[] {
  return texts
    .split(',')
    .map((text) => text.trim())
    .filter((text) => text !== '')
    .map(instrumentOf)
}

function instrumentOf(text: string): Instrument {
  const [number = '', expiry = defaultExpiry(), cvc = defaultCvc(number), ...names] = text.split(/ +/)
  if (!/^\d{12,19}$/.test(number)) return { type: 'token', token: text }
  const [month = '', year = ''] = expiry.split('/')
  return {
    type: 'card',
    number,
    brand: number.startsWith('4') ? 'visa' : number.startsWith('3') ? 'amex' : 'mastercard',
    bin: number.slice(0, 6),
    last4: number.slice(-4),
    expMonth: Number(month),
    expYear: 2000 + (Number(year) % 100),
    cvc,
    name: names.length === 0 ? 'Smoke Test' : names.join(' '),
  }
}

const defaultExpiry = () => `12/${(machineTime().getUTCFullYear() + 3) % 100}`
/** American Express cards have a four-digit CVC. */
const defaultCvc = (number: string) => (/^3[47]/.test(number) ? '1234' : '123')
