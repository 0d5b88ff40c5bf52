/** The names of customers and prices that subscriptions and invoices refer to, loaded on demand and cached. */
import type { Customer, PaymentMethod, Price, Product } from '@switchyard/sdk'
import { useObject } from '../../api/queries.ts'
import { methodWithExpiry } from '../../format/card.ts'
import { shortId } from '../../format/text.ts'
import { ObjectLink } from '../../shell/object-link.tsx'
import { Id } from '../../ui/values.tsx'
import { priceText } from './price-text.ts'

export function useCustomer(id: string) {
  return useObject<Customer>(['customer', id], (api, signal) => api.customers.get(id, { signal }))
}

export function usePrice(id: string, enabled = true) {
  return useObject<Price>(['price', id], (api, signal) => api.prices.get(id, { signal }), { enabled })
}

export function useProduct(id: string, enabled = true) {
  return useObject<Product>(['product', id], (api, signal) => api.products.get(id, { signal }), { enabled })
}

/** The cards that a customer can pay with. */
export function useCustomerMethods(customerId: string) {
  return useObject<readonly PaymentMethod[]>(
    ['payment_method', customerId, 'of customer'],
    (api) => api.paymentMethods.list({ customer_id: customerId }).all({ max: 50 }),
    { enabled: customerId !== '' },
  )
}

export function customerName({ name, email, id }: Customer): string {
  return name ?? email ?? shortId(id)
}

export function CustomerName({ id }: { id: string }) {
  const { data } = useCustomer(id)
  return <ObjectLink id={id}>{data === undefined ? <Id id={id} /> : customerName(data)}</ObjectLink>
}

/** "Team plan, €15.00 per month". */
export function PriceName({ id, productId }: { id: string; productId: string }) {
  const { data: price } = usePrice(id)
  const { data: product } = useProduct(productId)
  return (
    <>
      <ObjectLink id={productId}>{product?.name ?? <Id id={productId} />}</ObjectLink>
      {price !== undefined && `, ${priceText(price)}`}
    </>
  )
}

export function MethodName({ id }: { id: string }) {
  const { data } = useObject(['payment_method', id], (api, signal) => api.paymentMethods.get(id, { signal }))
  return <ObjectLink id={id}>{data === undefined ? <Id id={id} /> : methodWithExpiry(data)}</ObjectLink>
}
