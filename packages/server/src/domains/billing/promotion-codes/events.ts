import { defineEvent } from '../../../platform/db/events.ts'
import type { PromotionCode } from './promotion-code.ts'
import { PromotionCodeObject, present } from './schema.ts'

export const promotionCodeCreated = defineEvent<PromotionCode>({
  type: 'promotion_code.created',
  about: 'A promotion code was created.',
  schema: PromotionCodeObject,
  present,
})

export const promotionCodeUpdated = defineEvent<PromotionCode>({
  type: 'promotion_code.updated',
  about:
    'A promotion code was activated, deactivated, or its metadata changed. `previous` contains the old values.',
  schema: PromotionCodeObject,
  present,
  example: { before: { active: false } },
})

export const promotionCodeEvents = [promotionCodeCreated, promotionCodeUpdated]
