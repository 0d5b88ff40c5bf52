import { defineEvent } from '../../../platform/db/events.ts'
import type { CustomerDiscount } from './discount.ts'
import { CustomerDiscountObject, presentCustomerDiscount } from './schema.ts'

const example = {
  object: { promotion_code_id: null, amount_off: null, currency: null, product_ids: null, removed_at: null },
}

export const discountCreated = defineEvent<CustomerDiscount>({
  type: 'discount.created',
  about: 'A customer was given a discount.',
  schema: CustomerDiscountObject,
  present: presentCustomerDiscount,
  example,
})

export const discountRemoved = defineEvent<CustomerDiscount>({
  type: 'discount.removed',
  about: 'A discount was removed from a customer. It still applies to the current periods of subscriptions.',
  schema: CustomerDiscountObject,
  present: presentCustomerDiscount,
  example: {
    object: { ...example.object, removed_at: '2026-11-14T12:00:00.000Z' },
    before: { removed_at: null },
  },
})

export const discountEvents = [discountCreated, discountRemoved]
