/** Whether an account can take a payment, and if not, why not. Pure. */
import type { Capabilities } from '../../providers/contract.ts'
import type { Operands } from './operands.ts'

export type Candidate = {
  readonly id: string
  readonly cardData: 'pan' | 'token'
  readonly capabilities: Capabilities
  readonly isHeld: boolean
}

/** What the card can be used with. */
export type Instrument = {
  readonly hasNumber: boolean
  /** The account that a provider's own token belongs to. */
  readonly onlyAt: string | null
}

export type Wish = Instrument & {
  readonly kind: 'authorize' | 'verify'
  readonly amount: bigint
  readonly currency: string
  readonly brand: string
  readonly country: string | null
  readonly manualCapture: boolean
  readonly merchantInitiated: boolean
}

/** What is wanted of an account for a payment with these operands. */
export function wishOf(operands: Operands, instrument: Instrument): Wish {
  return {
    ...instrument,
    kind: operands.purpose === 'verification' ? 'verify' : 'authorize',
    amount: BigInt(operands.amount as number),
    currency: operands.currency as string,
    brand: operands['card.brand'] as string,
    country: (operands['card.country'] as string | undefined) ?? null,
    manualCapture: operands.capture_method === 'manual',
    merchantInitiated: operands.initiator === 'merchant',
  }
}

export function reasonsAgainst(candidate: Candidate, wish: Wish): string[] {
  const { capabilities, cardData, isHeld, id } = candidate
  const { amount, currency, brand, country, kind } = wish
  const limits = capabilities.amount
  const faults: readonly [boolean, string][] = [
    [isHeld, 'on hold'],
    [!capabilities.kinds.includes(kind), `cannot ${kind}`],
    [!covers(capabilities.currencies, currency), 'does not take the currency'],
    [!covers(capabilities.brands, brand), 'does not take the brand'],
    [country !== null && !covers(capabilities.countries, country), 'does not take the country'],
    [limits !== null && amount > 0n && amount < BigInt(limits.min), 'the amount is too small'],
    [limits !== null && amount > BigInt(limits.max), 'the amount is too large'],
    [wish.manualCapture && !capabilities.manualCapture, 'cannot capture later'],
    [wish.merchantInitiated && !capabilities.offSession, 'cannot charge without the payer'],
    [wish.onlyAt !== null && wish.onlyAt !== id, 'the card is held by another provider'],
    [wish.onlyAt === null && !wish.hasNumber, 'the card cannot be used here'],
    [wish.onlyAt === null && cardData === 'token', 'takes tokens only'],
  ]
  return faults.filter(([holds]) => holds).map(([, reason]) => reason)
}

function covers(list: readonly string[] | 'all', value: string): boolean {
  return list === 'all' || list.includes(value)
}
