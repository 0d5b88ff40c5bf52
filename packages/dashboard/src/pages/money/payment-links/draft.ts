/** A payment link as it is typed, and what of it is sent. Pure. */
import type { CreatePaymentLink, PaymentLink, UpdatePaymentLink } from '@switchyard/sdk'
import { amountOf } from '../../../format/money.ts'

export type Collected = NonNullable<CreatePaymentLink['collect']>[number]
export const collectable: readonly Collected[] = [
  'name',
  'email',
  'phone',
  'billing_address',
  'shipping_address',
]

export type ItemDraft = { readonly name: string; readonly amount: string; readonly quantity: string }

/** What can be changed as long as the link is there. */
export type TermsDraft = {
  readonly description: string
  /** Empty: as many as want to. */
  readonly uses: string
  /** A day; empty: 30 days from now. */
  readonly expires: string
  readonly collect: readonly Collected[]
  readonly message: string
  readonly redirect: string
}

export type LinkDraft = TermsDraft & {
  readonly kind: 'fixed' | 'open' | 'items'
  readonly currency: CreatePaymentLink['currency']
  readonly amount: string
  readonly min: string
  readonly max: string
  readonly items: readonly ItemDraft[]
  readonly isHeld: boolean
}

export const emptyItem: ItemDraft = { name: '', amount: '', quantity: '1' }

export const emptyLink: LinkDraft = {
  ...{ kind: 'fixed', currency: 'eur', amount: '', min: '', max: '', items: [emptyItem], isHeld: false },
  ...{ description: '', uses: '1', expires: '', collect: [], message: '', redirect: '' },
}

export function createBody(draft: LinkDraft): CreatePaymentLink {
  return {
    ...priceOf(draft),
    currency: draft.currency,
    ...(draft.isHeld ? { capture_method: 'manual' as const } : {}),
    ...termsOf(draft, emptyLink),
  }
}

function priceOf({ kind, currency, amount, min, max, items }: LinkDraft): Partial<CreatePaymentLink> {
  const money = (text: string) => amountOf(text, currency) ?? 0
  switch (kind) {
    case 'fixed':
      return { amount: money(amount) }
    case 'open':
      return { open_amount: { min: money(min), max: money(max) } }
    case 'items':
      return {
        line_items: items.map((item) => ({
          name: item.name.trim(),
          unit_amount: money(item.amount),
          quantity: Number(item.quantity) || 1,
        })),
      }
  }
}

/** What the payer pays, if it is known before. */
export function totalOf({ kind, currency, amount, items }: LinkDraft): number | null {
  if (kind === 'open') return null
  if (kind === 'fixed') return amountOf(amount, currency)
  const sums = items.map((item) => {
    const each = amountOf(item.amount, currency)
    return each === null ? null : each * (Number(item.quantity) || 1)
  })
  return sums.some((sum) => sum === null) ? null : sums.reduce<number>((sum, one) => sum + (one ?? 0), 0)
}

export function termsDraftOf(link: PaymentLink): TermsDraft {
  return {
    description: link.description ?? '',
    uses: link.max_completions === null ? '' : String(link.max_completions),
    expires: dayOf(link.expires_at),
    collect: link.collect,
    message: link.after_completion.message ?? '',
    redirect: link.after_completion.url ?? '',
  }
}

/** Only what is different from before. */
export function termsOf(draft: TermsDraft, before: TermsDraft): UpdatePaymentLink {
  const isOther = (name: keyof TermsDraft) => String(draft[name]) !== String(before[name])
  return {
    ...(isOther('description') ? { description: draft.description.trim() || null } : {}),
    ...(isOther('uses') ? { max_completions: draft.uses.trim() === '' ? null : Number(draft.uses) } : {}),
    ...(isOther('expires') && draft.expires !== '' ? { expires_at: endOf(draft.expires) } : {}),
    ...(isOther('collect') ? { collect: [...draft.collect] } : {}),
    ...(isOther('message') || isOther('redirect') ? { after_completion: afterOf(draft) } : {}),
  }
}

function afterOf({ message, redirect }: TermsDraft): NonNullable<UpdatePaymentLink['after_completion']> {
  if (redirect.trim() !== '') return { type: 'redirect', url: redirect.trim() }
  return { type: 'page', message: message.trim() || null }
}

/** That day still counts, in the time of whoever typed it. */
function endOf(day: string): string {
  const end = new Date(`${day}T23:59:59`)
  return Number.isNaN(end.getTime()) ? day : end.toISOString()
}

function dayOf(at: string): string {
  const date = new Date(at)
  const two = (value: number) => String(value).padStart(2, '0')
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
}
