/** Checks for rules on operands that no payment has, and for accounts whose costs are used but were not entered. */
import { leavesOf } from '../engine/conditions.ts'
import { accountOfCostField } from '../engine/estimated-cost.ts'
import type { Definition, Finding } from '../payment-route.ts'
import { actionsWithPointers } from './accounts.ts'
import type { LintEnvironment } from './lint-context.ts'

/** Operands from the BIN table that the operator imports. */
export const cardFactFields: readonly string[] = ['card.country', 'card.issuer', 'card.funding']

export function operandFindings({ rules }: Definition, { hasCardFacts }: LintEnvironment): Finding[] {
  if (hasCardFacts !== false) return []
  return rules.flatMap(({ when }, index) => {
    const fields = new Set(leavesOf(when).map(({ field }) => field))
    return cardFactFields.filter((field) => fields.has(field)).map((field) => withoutData(field, index))
  })
}

function withoutData(field: string, index: number): Finding {
  const detail = `${field} is unknown for all cards, because no BIN table was imported. Ask the operator to run import-bins.`
  return { severity: 'warning', code: 'operand_without_data', pointer: `/rules/${index}/when`, detail }
}

export function usesCardFields({ rules }: Definition): boolean {
  return rules.some(({ when }) => leavesOf(when).some(({ field }) => field.startsWith('card.')))
}

/** The fields of a payment page belong to an account, which is chosen before the payer enters the card. */
export function unknownCardFindings(definition: Definition, environment: LintEnvironment): Finding[] {
  if (environment.isCardUnknownAtChoice !== true) return []
  return definition.rules.flatMap(({ when }, index): Finding[] => {
    const field = leavesOf(when).find((leaf) => leaf.field.startsWith('card.'))?.field
    if (field === undefined) return []
    const detail = `Payment pages show the card fields of an account before ${field} is known (card_data.mode is provider_fields), so this rule does not select the account there. If the rule matches the card afterwards and does not list that account, the payment fails.`
    return [{ severity: 'warning', code: 'card_unknown_at_choice', pointer: `/rules/${index}/when`, detail }]
  })
}

/**
 * Without costs a condition on the estimated cost never matches, and an order by cost puts the account last.
 */
export function costFindings(definition: Definition, { accounts }: LintEnvironment): Finding[] {
  const withoutCosts = (ids: readonly string[]) =>
    [...new Set(ids)].filter(
      (id) => (accounts.find((account) => account.id === id)?.costs ?? []).length === 0,
    )
  const nameOf = (id: string) => accounts.find((account) => account.id === id)?.displayName ?? id
  const inRules = definition.rules.flatMap(({ when }, index) => {
    const ids = leavesOf(when).flatMap(({ field }) => accountOfCostField(field) ?? [])
    const effect = 'so the cost of every payment is unknown and the condition does not match'
    return withoutCosts(ids).map((id) => missingCosts(nameOf(id), effect, `/rules/${index}/when`))
  })
  const inOrders = actionsWithPointers(definition).flatMap(({ action, pointer }) => {
    if (action.type !== 'priority' || action.order_by === undefined) return []
    const effect = 'so it is tried after the accounts whose cost is known'
    return withoutCosts(action.targets).map((id) => missingCosts(nameOf(id), effect, `${pointer}/order_by`))
  })
  return [...inRules, ...inOrders]
}

function missingCosts(name: string, effect: string, pointer: string): Finding {
  const detail = `${name} has no costs, ${effect}. Enter the fees of the account as its costs.`
  return { severity: 'warning', code: 'account_without_costs', pointer, detail }
}
