import type { Item, Sale } from '../api.ts'
import { chosenAmount, itemsOf, type Values } from '../form.ts'
import { formatMoney } from '../money.ts'
import type { State } from '../state.ts'
import { termsText } from '../subscription.ts'
import { currentLocale, translate } from '../translations.ts'

/** The order summary: seller, items and amount. */
export function Summary({ sale, state, values }: { sale: Sale; state: State; values: Values }) {
  const money = (amount: number) => formatMoney(amount, sale, currentLocale())
  const amount = state.kind === 'form' ? chosenAmount(values, sale) : sale.amount
  const isChosenHere = state.kind === 'form' && sale.open_amount !== null
  const items = itemsOf(sale, values)
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
      {sale.subscription !== null && <p class="description">{termsText(sale, sale.subscription, values)}</p>}
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

function ItemLine({ item, money }: { item: Item; money: (amount: number) => string }) {
  const { name, description, quantity, unit_amount } = item
  return (
    <li>
      <span>
        {/* The seller's text can have a different direction from the page. */}
        <bdi>
          {quantity > 1 && `${quantity} × `}
          {name}
        </bdi>
        {description !== null && (
          <small>
            <bdi>{description}</bdi>
          </small>
        )}
        {quantity > 1 && <small>{translate('each', { amount: money(unit_amount) })}</small>}
      </span>
      <bdi class="price">{money(unit_amount * quantity)}</bdi>
    </li>
  )
}
