/** Checks for rules on operands that no payment has. */
import { leavesOf } from '../engine/conditions.ts'
import type { Definition, Finding } from '../payment-route.ts'
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
