/** A payment link in a few words. Pure. */
import type { PaymentLink } from '@switchyard/sdk'
import { moneyText } from '../../../format/money.ts'
import { dateText } from '../../../format/time.ts'
import { counted } from '../../../format/words.ts'

/** "€40.00", "€5.00 to €100.00", "€11.00 for 2 items". */
export function priceText({ amount, open_amount: open, line_items: items, currency }: PaymentLink): string {
  if (amount !== null && items === null) return moneyText(amount, currency)
  if (open !== null) return `${moneyText(open.min, currency)} to ${moneyText(open.max, currency)}`
  const all = items ?? []
  const total = all.reduce((sum, { unit_amount, quantity }) => sum + unit_amount * quantity, 0)
  return `${moneyText(total, currency)} for ${counted(all.length, 'item')}`
}

export function paidText({ completed_count: paid, max_completions: most }: PaymentLink): string {
  return most === null ? counted(paid, 'time') : `${paid} of ${most}`
}

export function linkSentence(link: PaymentLink): string {
  const { status, max_completions: most, completed_count: paid } = link
  const more = paid === 0 ? '' : 'more '
  const times = paid === 0 ? 'Nobody has paid by it yet' : `It was paid ${counted(paid, 'time')}`
  switch (status) {
    case 'active':
      return `${times}. ${most === null ? 'Whoever has the address can pay' : `${counted(most - paid, `${more}payment is`, `${more}payments are`)} possible`} until ${dateText(link.expires_at)}.`
    case 'inactive':
      return `${times}. It was deactivated: nobody can begin to pay by it.`
    case 'completed':
      return `${times}, and that was all that was asked for.`
    case 'expired':
      return `${times}. Its time was over on ${dateText(link.expires_at)}.`
  }
}
