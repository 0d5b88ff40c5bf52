import { Type } from 'typebox'
import type { Deps } from '../../../deps.ts'
import { IdOf } from '../../../kernel/shapes.ts'
import { operation } from '../../../platform/http/operation.ts'
import { PageOf, PageQuery, presentPage, rangeOf } from '../../../platform/http/pagination.ts'
import {
  CreatePromotionCode,
  PromotionCodeObject,
  PromotionCodePath,
  present,
  UpdatePromotionCode,
} from './schema.ts'
import {
  createPromotionCode,
  getPromotionCode,
  listPromotionCodes,
  type PromotionCode,
  updatePromotionCode,
} from './service.ts'

const version = (promotionCode: PromotionCode) => promotionCode.version

export const promotionCodeOperations = (deps: Deps) => [
  operation({
    id: 'promotion_codes.create',
    method: 'POST',
    path: '/promotion-codes',
    summary: 'Create a promotion code',
    description: 'A code that customers enter to redeem a coupon. A coupon can have any number of codes.',
    body: CreatePromotionCode,
    status: 201,
    response: PromotionCodeObject,
    errors: ['reference_not_found', 'promotion_code_taken'],
    present,
    version,
    handle: ({ caller, body }) => createPromotionCode(deps, caller, body),
  }),
  operation({
    id: 'promotion_codes.list',
    method: 'GET',
    path: '/promotion-codes',
    summary: 'List promotion codes',
    description: 'Returns promotion codes, newest first. Can be filtered by `coupon_id` and `code`.',
    query: PageQuery({
      coupon_id: Type.Optional(IdOf('coupon')),
      code: Type.Optional(
        Type.String({ maxLength: 50, description: 'The code (case-insensitive).', examples: ['SPRING20'] }),
      ),
    }),
    response: PageOf(PromotionCodeObject),
    errors: ['invalid_cursor'],
    present: presentPage('/promotion-codes', present),
    handle: ({ caller, query }) =>
      listPromotionCodes(deps, caller, rangeOf('promotion_code', caller.mode, query), query),
  }),
  operation({
    id: 'promotion_codes.get',
    method: 'GET',
    path: '/promotion-codes/:promotion_code_id',
    summary: 'Get a promotion code',
    description: 'Returns a promotion code, and how many times it was redeemed.',
    params: PromotionCodePath,
    response: PromotionCodeObject,
    errors: ['not_found'],
    present,
    version,
    handle: ({ caller, params }) => getPromotionCode(deps, caller, params.promotion_code_id),
  }),
  operation({
    id: 'promotion_codes.update',
    method: 'PUT',
    path: '/promotion-codes/:promotion_code_id',
    summary: 'Update a promotion code',
    description: 'Activates or deactivates a code. Its other terms cannot be changed.',
    params: PromotionCodePath,
    body: UpdatePromotionCode,
    response: PromotionCodeObject,
    errors: ['not_found', 'conflict', 'version_mismatch', 'promotion_code_taken'],
    takesIfMatch: true,
    present,
    version,
    handle: ({ caller, params, body, ifMatch }) =>
      updatePromotionCode(deps, caller, params.promotion_code_id, { ...body, ifMatch }),
  }),
]
