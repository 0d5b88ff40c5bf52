import { Type } from 'typebox'
import type { Deps } from '../../../deps.ts'
import { operation } from '../../../platform/http/operation.ts'
import { PageOf, PageQuery, presentPage, rangeOf } from '../../../platform/http/pagination.ts'
import { CouponObject, CouponPath, CreateCoupon, present, UpdateCoupon } from './schema.ts'
import { type Coupon, createCoupon, getCoupon, listCoupons, updateCoupon } from './service.ts'

const version = (coupon: Coupon) => coupon.version

export const couponOperations = (deps: Deps) => [
  operation({
    id: 'coupons.create',
    method: 'POST',
    path: '/coupons',
    summary: 'Create a coupon',
    description:
      'A coupon takes a percentage or an amount off invoices. Attach it to a subscription, or create promotion codes for it.',
    body: CreateCoupon,
    status: 201,
    response: CouponObject,
    errors: ['reference_not_found'],
    present,
    version,
    handle: ({ caller, body }) => createCoupon(deps, caller, body),
  }),
  operation({
    id: 'coupons.list',
    method: 'GET',
    path: '/coupons',
    summary: 'List coupons',
    description: 'Returns coupons, newest first. Can be filtered by `active`.',
    query: PageQuery({
      active: Type.Optional(
        Type.Boolean({ description: '`true`: only active coupons. `false`: only archived coupons.' }),
      ),
    }),
    response: PageOf(CouponObject),
    errors: ['invalid_cursor'],
    present: presentPage('/coupons', present),
    handle: ({ caller, query }) => listCoupons(deps, caller, rangeOf('coupon', caller.mode, query), query),
  }),
  operation({
    id: 'coupons.get',
    method: 'GET',
    path: '/coupons/:coupon_id',
    summary: 'Get a coupon',
    description: 'Returns a coupon, and how many times it was redeemed.',
    params: CouponPath,
    response: CouponObject,
    errors: ['not_found'],
    present,
    version,
    handle: ({ caller, params }) => getCoupon(deps, caller, params.coupon_id),
  }),
  operation({
    id: 'coupons.update',
    method: 'PUT',
    path: '/coupons/:coupon_id',
    summary: 'Update a coupon',
    description:
      'Renames a coupon, or archives it with `active: false`. Its terms cannot be changed. Existing discounts continue.',
    params: CouponPath,
    body: UpdateCoupon,
    response: CouponObject,
    errors: ['not_found', 'conflict', 'version_mismatch'],
    takesIfMatch: true,
    present,
    version,
    handle: ({ caller, params, body, ifMatch }) =>
      updateCoupon(deps, caller, params.coupon_id, { ...body, ifMatch }),
  }),
]
