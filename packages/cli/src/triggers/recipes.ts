/** How to trigger each event type, or why it cannot be triggered. */
import type { EventObjects } from '@switchyard/sdk'
import { billingRecipes } from './billing.ts'
import { disputeRecipes } from './disputes.ts'
import { financeRecipes } from './finance.ts'
import { objectRecipes } from './objects.ts'
import { paymentRecipes } from './payments.ts'
import { routingRecipes } from './routing.ts'
import type { Recipe } from './trigger-context.ts'
import { webhookRecipes } from './webhooks.ts'

export type EventTypeName = keyof EventObjects

/** An event type without a recipe is a compile error. */
export const recipes: Readonly<Record<EventTypeName, Recipe>> = {
  ...objectRecipes,
  ...paymentRecipes,
  ...disputeRecipes,
  ...billingRecipes,
  ...routingRecipes,
  ...webhookRecipes,
  ...financeRecipes,
}

export function isEventType(text: string): text is EventTypeName {
  return Object.hasOwn(recipes, text)
}
