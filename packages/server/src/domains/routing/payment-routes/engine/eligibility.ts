/** Whether an account can process a payment, and if not, why not. No side effects. */
import type { Id } from '../../../../kernel/id.ts'
import type { Capabilities, CostSegment, MethodType } from '../../../../providers/contract.ts'
import type { Operands } from './operands.ts'

export type Candidate = {
  readonly id: string
  readonly cardData: 'pan' | 'token'
  readonly capabilities: Capabilities
  readonly costs: readonly CostSegment[]
  readonly isOnHold: boolean
  /** False if a card vault cannot put the card number into calls to the provider. */
  readonly isReachableThroughVault?: boolean
  /** Whether payers can enter a card in fields of the provider. */
  readonly hasCardFields?: boolean
}

/** How the card can be used. */
export type Instrument = {
  readonly hasCardNumber: boolean
  /** The country of the bank account, if a bank account number is sent instead of a card. */
  readonly bankCountry?: string | null
  /** Whether a vault of another service has the card number. */
  readonly isInExternalVault?: boolean
  /** The accounts at which the card has a provider token. */
  readonly tokensAt: ReadonlySet<string>
  /** Set if the card must be verified at this account. */
  readonly requiredAccountId?: Id<'provider_account'>
  /** The card is not known yet: the payer will enter it in fields of the chosen provider. */
  readonly isEnteredInFields?: boolean
}

export type PaymentRequirements = Instrument & {
  readonly kind: 'authorize' | 'verify'
  readonly amount: bigint
  readonly currency: string
  /** Null if it is not known. */
  readonly methodType: MethodType
  readonly brand: string | null
  readonly country: string | null
  readonly manualCapture: boolean
  readonly merchantInitiated: boolean
  /** Whether the card or bank account is saved. */
  readonly isSaved: boolean
}

/** What an account must support to process a payment with these operands. */
export function requirementsOf(operands: Operands, instrument: Instrument): PaymentRequirements {
  return {
    ...instrument,
    kind: operands.purpose === 'verification' ? 'verify' : 'authorize',
    amount: BigInt(operands.amount as number),
    currency: operands.currency as string,
    methodType: (operands['method.type'] as MethodType | undefined) ?? 'card',
    brand: brandOf(operands, instrument),
    country: (operands['card.country'] as string | undefined) ?? null,
    manualCapture: operands.capture_method === 'manual',
    merchantInitiated: operands.initiator === 'merchant',
    isSaved: operands.recurring === 'first',
  }
}

/** Fields of a provider may not report the brand. The provider accepts or declines the card then. */
function brandOf(operands: Operands, { tokensAt }: Instrument): string | null {
  const brand = (operands['card.brand'] as string | undefined) ?? null
  return brand === 'unknown' && tokensAt.size > 0 ? null : brand
}

export function ineligibleReasons(candidate: Candidate, required: PaymentRequirements): string[] {
  const { capabilities, isOnHold, id } = candidate
  const { amount, currency, brand, country, kind } = required
  const limits = capabilities.amount
  const checks: readonly [boolean, string][] = [
    [isOnHold, 'on hold'],
    [!capabilities.kinds.includes(kind), `${kind} not supported`],
    [!includes(capabilities.currencies, currency), 'currency not supported'],
    [brand !== null && !includes(capabilities.brands, brand), 'card brand not supported'],
    [country !== null && !includes(capabilities.countries, country), 'card country not supported'],
    [limits !== null && amount > 0n && amount < BigInt(limits.min), 'amount below the minimum'],
    [limits !== null && amount > BigInt(limits.max), 'amount above the maximum'],
    [required.manualCapture && !capabilities.manualCapture, 'manual capture not supported'],
    [required.merchantInitiated && !capabilities.offSession, 'off-session payments not supported'],
    [
      required.requiredAccountId !== undefined && required.requiredAccountId !== id,
      'another account is required',
    ],
  ]
  return [
    ...checks.filter(([fails]) => fails).map(([, reason]) => reason),
    ...unusableMethodReasons(candidate, required),
  ]
}

function unusableMethodReasons(candidate: Candidate, required: PaymentRequirements): string[] {
  const { methodType, currency, bankCountry = null, tokensAt, manualCapture, isSaved } = required
  const { kind, merchantInitiated } = required
  if (methodType === 'card') return unusableCardReasons(candidate, required)
  const terms = candidate.capabilities.methods[methodType]
  if (terms === undefined) return [`${methodType} not supported`]
  const isElsewhere = tokensAt.size > 0 && !tokensAt.has(candidate.id)
  const checks: readonly [boolean, string][] = [
    [!terms.currencies.includes(currency), `${methodType} not supported in this currency`],
    [bankCountry !== null && !includes(terms.countries, bankCountry), 'bank country not supported'],
    [manualCapture, `${methodType} cannot be captured manually`],
    [isSaved && !terms.reusable, `${methodType} cannot be saved`],
    [terms.flow === 'redirect' && kind === 'verify', `${methodType} cannot be verified`],
    [terms.flow === 'redirect' && merchantInitiated, `${methodType} requires the payer`],
    [isElsewhere, 'the bank account is stored at another provider'],
  ]
  return checks.filter(([fails]) => fails).map(([, reason]) => reason)
}

/** An account can use its own token, and otherwise needs the card number. */
function unusableCardReasons(
  { id, cardData, hasCardFields, isReachableThroughVault }: Candidate,
  card: Instrument,
): string[] {
  if (card.isEnteredInFields === true) return hasCardFields === true ? [] : ['has no card fields']
  if (card.tokensAt.has(id)) return []
  if (!card.hasCardNumber)
    return [
      card.tokensAt.size > 0 ? 'the card is stored at another provider' : 'the card number is not available',
    ]
  const checks: readonly [boolean, string][] = [
    [cardData === 'token', 'accepts tokens only'],
    [
      card.isInExternalVault === true && isReachableThroughVault === false,
      'cannot be reached through the vault',
    ],
  ]
  return checks.filter(([fails]) => fails).map(([, reason]) => reason)
}

function includes(list: readonly string[] | 'all', value: string): boolean {
  return list === 'all' || list.includes(value)
}
