/** A tax rule: its conditions, its position, and the rate that it selects. Also the preview of a rate. */
import type { Id } from '../../../kernel/id.ts'
import type { CustomerType, RuleConditions, TaxDecision } from './decide.ts'

export type TaxRule = RuleConditions & {
  readonly id: Id<'tax_rule'>
  readonly position: number
  readonly taxRateId: Id<'tax_rate'>
  readonly createdAt: Date
}

/** The decision for one customer, with the values that the rules were compared with. */
export type TaxPreview = TaxDecision & {
  readonly country: string | null
  readonly customerType: CustomerType
}
