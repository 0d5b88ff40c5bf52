import type { Sale } from '../api.ts'
import { chosenQuantities, quantityField } from '../subscription.ts'
import { translate } from '../translations.ts'

type Props = {
  sale: Sale
  values: Readonly<Record<string, string>>
  changeValues: (changes: Readonly<Record<string, string>>) => void
}

/** Two buttons for each item of a subscription whose quantity the payer can change. */
export function QuantitySteppers({ sale, values, changeValues }: Props) {
  const quantities = chosenQuantities(sale, values)
  return (
    <>
      {sale.items.map(({ name, quantity_limits: limits }, index) => {
        const quantity = quantities[index] ?? 1
        if (limits === undefined) return null
        const step = (label: 'fewer' | 'more', by: number, sign: string) => (
          <button
            class="quiet"
            type="button"
            aria-label={`${translate(label)}: ${name}`}
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
