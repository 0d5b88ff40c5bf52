/** What a payer who buys a subscription is charged, with the quantities that they choose. */
import type { Item, Offer, Sale } from './api.ts'

type Values = Readonly<Record<string, string>>

export const quantityField = (index: number) => `quantities.${index}`

export function chosenQuantities({ items }: Sale, values: Values): number[] {
  return items.map((item, index) =>
    item.quantity_limits ? Number(values[quantityField(index)] ?? item.quantity) : item.quantity,
  )
}

export function quantitiesToSend(sale: Sale, values: Values): { quantities?: readonly number[] } {
  return sale.subscription ? { quantities: chosenQuantities(sale, values) } : {}
}

export function withChosenQuantities(sale: Sale, values: Values): Item[] {
  const quantities = chosenQuantities(sale, values)
  return sale.items.map((item, index) => withQuantity(item, quantities[index] ?? item.quantity))
}

export function withQuantity(item: Item, quantity: number): Item {
  const { unit_amount: unit, quantity_amounts: amounts, quantity_limits: limits } = item
  if (quantity === item.quantity) return item
  return { ...item, quantity, amount: amounts?.[quantity - (limits?.min ?? 1)] ?? (unit ?? 0) * quantity }
}

/** The amount that the server computed, or the sum of the chosen items if the payer can change a quantity. */
export const unlessChosen = ({ items }: Sale, amount: number, chosen: readonly Item[]) =>
  items.some((item) => item.quantity_limits) ? chosen.reduce((sum, item) => sum + item.amount, 0) : amount

export function dueNow(sale: Sale, { trial_end_at, due_now }: Offer, values: Values): number {
  return trial_end_at ? due_now : unlessChosen(sale, due_now, withChosenQuantities(sale, values))
}
