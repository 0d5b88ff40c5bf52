/** How every type of event is brought about, or why it cannot be. */
import type { EventObjects } from '@switchyard/sdk'
import { billingRecipes } from './billing.ts'
import { objectRecipes } from './objects.ts'
import { paymentRecipes } from './payments.ts'
import { routingRecipes } from './routing.ts'
import { webhookRecipes } from './webhooks.ts'
import type { Recipe } from './world.ts'

export type EventTypeName = keyof EventObjects

/** One for each type there is: a new one without a recipe does not compile. */
export const recipes: Readonly<Record<EventTypeName, Recipe>> = {
  ...objectRecipes,
  ...paymentRecipes,
  ...billingRecipes,
  ...routingRecipes,
  ...webhookRecipes,
}

export function isEventType(text: string): text is EventTypeName {
  return Object.hasOwn(recipes, text)
}
