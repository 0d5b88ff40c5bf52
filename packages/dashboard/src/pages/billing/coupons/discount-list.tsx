/** A list of discounts, each with a link to its coupon. */
import { PageLink } from '../../../ui/link.tsx'
import { type Discount, discountText } from './coupon-text.ts'

type Props = {
  discounts: readonly Discount[]
  /** The currency of fixed-amount discounts. Null if each discount has its own currency. */
  currency: string | null
}

export function DiscountList({ discounts, currency }: Props) {
  return (
    <ul className="grid gap-2">
      {discounts.map((discount) => (
        <li key={discount.id}>
          <PageLink to={`/coupons/${discount.coupon_id}`}>{discount.name}</PageLink>
          <span className="block text-compact text-ink2">{discountText(discount, currency)}</span>
        </li>
      ))}
    </ul>
  )
}
