/** Shown only on pages that sell a subscription: its terms, added tax, and buttons to change quantities. */
import type { Offer, Sale } from '../api.ts'
import { promotionOf } from '../form.ts'
import { formatMoney } from '../money.ts'
import { chosenQuantities, quantityField, unlessChosen, withChosenQuantities } from '../subscription.ts'
import { currentLocale, translate } from '../translations.ts'
import { textOf } from './subscription-texts.ts'
import { taxText } from './tax-text.ts'

type Props = {
  sale: Sale
  values: Readonly<Record<string, string>>
  changeValues: (changes: Readonly<Record<string, string>>) => void
}

/** The tax that is added, and two buttons for each item of a subscription whose quantity the payer can change. */
export function QuantitySteppers({ sale, values, changeValues }: Props) {
  const quantities = chosenQuantities(sale, values)
  return (
    <>
      {sale.subscription?.taxes.map(({ percentage, amount }) => (
        <p class="hint">{taxText(percentage, formatMoney(amount, sale, currentLocale()))}</p>
      ))}
      {sale.items.map(({ name, quantity_limits: limits }, index) => {
        const quantity = quantities[index] ?? 1
        if (limits === undefined) return null
        const step = (label: 'fewer' | 'more', by: number, sign: string) => (
          <button
            class="quiet"
            type="button"
            aria-label={`${textOf(label)}: ${name}`}
            disabled={quantity + by < limits.min || quantity + by > limits.max}
            onClick={() => changeValues({ [quantityField(index)]: String(quantity + by) })}
          >
            {sign}
          </button>
        )
        return (
          <div class="stepper">
            <bdi>{name}</bdi>
            {step('fewer', -1, '−')}
            <output aria-label={`${translate('quantity')}: ${name}`}>{quantity}</output>
            {step('more', 1, '+')}
          </div>
        )
      })}
    </>
  )
}

type TermsProps = { sale: Sale; offer: Offer; values: Props['values'] }

/** For example: €29.99 per month, next charged on 14 Dec 2026. */
export function Terms({ sale, offer, values }: TermsProps) {
  const recurringItems = withChosenQuantities(sale, values).filter(({ recurring }) => recurring)
  const amount = promotionOf(values).recurring ?? unlessChosen(sale, offer.amount, recurringItems)
  const price = pricePerInterval(formatMoney(amount, sale, currentLocale()), offer)
  const at = new Date(offer.trial_end_at ?? offer.next_charge_at)
  const date = new Intl.DateTimeFormat(currentLocale(), { dateStyle: 'medium' }).format(at)
  return (
    <p class="description">
      {textOf(offer.trial_end_at === null ? 'terms_next' : 'terms_trial', { price, date })}
    </p>
  )
}

function pricePerInterval(price: string, { interval, interval_count: count }: Offer): string {
  if (count === 1) return textOf(`per_${interval}`, { price })
  const options = { style: 'unit', unit: interval, unitDisplay: 'long' } as const
  return textOf('every', { price, time: new Intl.NumberFormat(currentLocale(), options).format(count) })
}
