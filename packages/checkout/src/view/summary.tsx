import type { Item, Sale } from '../api.ts'
import { amountToPay, itemsOf, promotionOf, type Values } from '../form.ts'
import { formatMoney } from '../money.ts'
import type { State } from '../state.ts'
import { currentLocale, translate } from '../translations.ts'
import { Lazy } from './lazy.tsx'

const loadTerms = async () => (await import('./quantity-steppers.tsx')).Terms

/** The order summary: seller, items and amount. */
export function Summary({ sale, state, values }: { sale: Sale; state: State; values: Values }) {
  const money = (amount: number) => formatMoney(amount, sale, currentLocale())
  const amount = state.kind === 'form' ? amountToPay(values, sale) : sale.amount
  const isChosenHere = state.kind === 'form' && sale.open_amount !== null
  const discounts = promotionOf(values).discounts ?? sale.discounts
  const items: readonly Line[] = [
    ...itemsOf(sale, values),
    ...discounts.map(({ name, amount }) => ({ name, amount: -amount })),
  ]
  return (
    <header class="summary">
      <p class="seller">
        {sale.seller.logo_url !== null && <img src={sale.seller.logo_url} alt="" width="32" height="32" />}
        <bdi>{sale.seller.name}</bdi>
      </p>
      {amount === null || isChosenHere ? (
        <h1 class="title" dir="auto">
          {sale.description ?? translate(sale.checkout_mode === 'setup' ? 'save_card' : 'pay_open')}
        </h1>
      ) : (
        <>
          <h1 class="amount">
            <bdi>{money(amount)}</bdi>
          </h1>
          {sale.description !== null && (
            <p class="description" dir="auto">
              {sale.description}
            </p>
          )}
        </>
      )}
      {sale.subscription && <Lazy load={loadTerms} props={{ sale, offer: sale.subscription, values }} />}
      {items.length > 0 && (
        <ul class="items" aria-label={translate('order')}>
          {items.map((item) => (
            <ItemLine item={item} money={money} />
          ))}
        </ul>
      )}
    </header>
  )
}

/** An item, or a discount with a negative amount. */
type Line = Pick<Item, 'name' | 'amount'> & Partial<Item>

function ItemLine({ item, money }: { item: Line; money: (amount: number) => string }) {
  const { name, description, quantity = 1, unit_amount: unit, amount } = item
  return (
    <li>
      <span>
        {/* The seller's text can have a different direction from the page. */}
        <bdi>
          {quantity > 1 && `${quantity} × `}
          {name}
        </bdi>
        {description && (
          <small>
            <bdi>{description}</bdi>
          </small>
        )}
        {quantity > 1 && unit && unit * quantity === amount && (
          <small>{translate('each', { amount: money(unit) })}</small>
        )}
      </span>
      <bdi class="price">{money(amount)}</bdi>
    </li>
  )
}
