import { defineEvent } from '../../../platform/db/events.ts'
import type { Coupon } from './coupon.ts'
import { CouponObject, present } from './schema.ts'

export const couponCreated = defineEvent<Coupon>({
  type: 'coupon.created',
  about: 'A coupon was created.',
  schema: CouponObject,
  present,
})

export const couponUpdated = defineEvent<Coupon>({
  type: 'coupon.updated',
  about: 'The name, `active` or the metadata of a coupon changed. `previous` contains the old values.',
  schema: CouponObject,
  present,
  example: { before: { name: 'Winter offer' } },
})

export const couponEvents = [couponCreated, couponUpdated]
