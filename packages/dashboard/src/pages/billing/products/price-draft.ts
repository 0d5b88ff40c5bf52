/** The terms of a new price, as typed and as the API expects them. */
import type { CreatePrice } from '@switchyard/sdk'
import { amountOf } from '../../../format/money.ts'

export type TierDraft = { readonly upTo: string; readonly unit: string; readonly flat: string }

export type PriceDraft = {
  readonly scheme: NonNullable<CreatePrice['scheme']>
  readonly amount: string
  readonly tiers: readonly TierDraft[]
  readonly packageSize: string
  readonly packageRound: 'up' | 'down'
  readonly minimum: string
  readonly maximum: string
}

export const emptyTier: TierDraft = { upTo: '', unit: '', flat: '' }

export const emptyPrice: PriceDraft = {
  scheme: 'per_unit',
  amount: '',
  tiers: [{ ...emptyTier, upTo: '10' }, emptyTier],
  packageSize: '100',
  packageRound: 'up',
  minimum: '',
  maximum: '',
}

export const hasTiers = ({ scheme }: Pick<PriceDraft, 'scheme'>) =>
  scheme === 'graduated' || scheme === 'volume'

/** A message about what is still missing; null if the price can be created. */
export function missingIn(draft: PriceDraft, currency: string): string | null {
  if (!hasTiers(draft)) return amountOf(draft.amount, currency) === null ? 'Enter an amount first.' : null
  const isIncomplete = draft.tiers.some(({ unit }) => amountOf(unit, currency) === null)
  return isIncomplete ? 'Enter the amount of each tier first.' : null
}

type Terms = Pick<
  CreatePrice,
  'scheme' | 'unit_amount' | 'tiers' | 'package' | 'minimum_amount' | 'maximum_amount'
>

export function termsOf(draft: PriceDraft, currency: string): Terms {
  const amount = (text: string) => amountOf(text, currency) ?? 0
  const { scheme, minimum, maximum } = draft
  return {
    ...(scheme === 'per_unit' ? {} : { scheme }),
    ...(hasTiers(draft) ? { tiers: tiersOf(draft, amount) } : { unit_amount: amount(draft.amount) }),
    ...(scheme === 'package'
      ? { package: { size: Number(draft.packageSize), round: draft.packageRound } }
      : {}),
    ...(minimum === '' ? {} : { minimum_amount: amount(minimum) }),
    ...(maximum === '' ? {} : { maximum_amount: amount(maximum) }),
  }
}

/** The last tier has no end. */
function tiersOf({ tiers }: PriceDraft, amount: (text: string) => number): NonNullable<CreatePrice['tiers']> {
  return tiers.map(({ upTo, unit, flat }, index) => ({
    up_to: index === tiers.length - 1 ? null : Number(upTo),
    unit_amount_decimal: String(amount(unit)),
    ...(flat === '' ? {} : { flat_amount: amount(flat) }),
  }))
}
