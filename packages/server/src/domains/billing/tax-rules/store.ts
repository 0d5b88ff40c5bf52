/** Rows of tax rules, and the data from which tax is determined. */
import { type Selectable, sql } from 'kysely'
import { refuse } from '../../../kernel/errors.ts'
import { idFromUuid, type Mode, uuidFromText, uuidOf } from '../../../kernel/id.ts'
import { lockName } from '../../../platform/db/name-lock.ts'
import type { TaxRules } from '../../../platform/db/tables.generated.ts'
import type { Tx, View } from '../../../platform/db/unit-of-work.ts'
import type { RuleConditions, RuleWithRate, TaxSetup } from './decide.ts'
import type { TaxRule } from './tax-rule.ts'

const columns = [
  'id',
  'position',
  'country',
  'customer_type',
  'tax_code',
  'tax_rate_id',
  'created_at',
] as const
type TaxRuleRow = Pick<Selectable<TaxRules>, (typeof columns)[number]>

/** Serializes changes of the order, until the transaction ends. */
export function lockRules(tx: Tx): Promise<void> {
  return lockName(tx, `tax rules of ${uuidOf(tx.caller.workspaceId)}`)
}

/** All rules, in order. There are at most a few hundred. */
export async function listRules(view: View): Promise<TaxRule[]> {
  const rows = await view.db
    .selectFrom('tax_rules')
    .select(columns)
    .where('workspace_id', '=', uuidOf(view.caller.workspaceId))
    .orderBy('position')
    .execute()
  return rows.map((row) => fromRow(view.caller.mode, row))
}

/** Moves the rules from this position on by one, and inserts the rule there. */
export async function insertRule(
  tx: Tx,
  rule: RuleConditions & Pick<TaxRule, 'position' | 'taxRateId'>,
): Promise<TaxRule> {
  const workspace = uuidOf(tx.caller.workspaceId)
  await sql`
    update tax_rules set position = position + 1
    where workspace_id = ${workspace} and position >= ${rule.position}`.execute(tx.db)
  const row = await tx.db
    .insertInto('tax_rules')
    .values({
      workspace_id: workspace,
      id: uuidOf(tx.newId('tax_rule')),
      position: rule.position,
      country: rule.country,
      customer_type: rule.customerType,
      tax_code: rule.taxCode,
      tax_rate_id: uuidOf(rule.taxRateId),
      created_at: tx.now,
    })
    .returning(columns)
    .executeTakeFirstOrThrow()
  return fromRow(tx.caller.mode, row)
}

/** Deletes the rule, and moves the rules after it up by one. */
export async function deleteRule(tx: Tx, text: string): Promise<TaxRule> {
  const workspace = uuidOf(tx.caller.workspaceId)
  const uuid = uuidFromText('tax_rule', tx.caller.mode, text)
  const row =
    uuid === null
      ? undefined
      : await tx.db
          .deleteFrom('tax_rules')
          .where('workspace_id', '=', workspace)
          .where('id', '=', uuid)
          .returning(columns)
          .executeTakeFirst()
  if (row === undefined) return refuse('not_found', { detail: 'There is no such tax rule.' })
  await sql`
    update tax_rules set position = position - 1
    where workspace_id = ${workspace} and position > ${row.position}`.execute(tx.db)
  return fromRow(tx.caller.mode, row)
}

type SetupRow = {
  country: string | null
  tax_ids: TaxSetup['seller']['tax_ids']
  vat_scheme: TaxSetup['seller']['vat_scheme']
  rules: (Omit<RuleWithRate, 'rate'> & { rateId: string; rate: Omit<RuleWithRate['rate'], 'id'> })[] | null
}

/** The seller and all rules with their rates, in one statement. */
export async function findSetup(view: View): Promise<TaxSetup> {
  const workspace = sql`${uuidOf(view.caller.workspaceId)}::uuid`
  const { rows } = await sql<SetupRow>`
    select address ->> 'country' as country, tax_ids, vat_scheme,
      (select jsonb_agg(jsonb_build_object('id', tax_rules.id, 'country', tax_rules.country, 'customerType', tax_rules.customer_type,
          'taxCode', tax_rules.tax_code, 'rateId', tax_rates.id, 'rate', jsonb_build_object(
            'percentage', tax_rates.percentage, 'category', tax_rates.category,
            'exemptionReason', tax_rates.exemption_reason)) order by tax_rules.position)
        from tax_rules join tax_rates
          on tax_rates.workspace_id = tax_rules.workspace_id and tax_rates.id = tax_rules.tax_rate_id
        where tax_rules.workspace_id = ${workspace}) as rules
    from sellers where workspace_id = ${workspace}`.execute(view.db)
  const { country = null, tax_ids = [], vat_scheme = 'standard' as const, rules = null } = rows[0] ?? {}
  return {
    seller: { country, tax_ids, vat_scheme },
    rules: (rules ?? []).map(({ id, rateId, rate, ...conditions }) => ({
      ...conditions,
      id: idFromUuid('tax_rule', view.caller.mode, id),
      rate: { ...rate, id: idFromUuid('tax_rate', view.caller.mode, rateId) },
    })),
  }
}

function fromRow(mode: Mode, row: TaxRuleRow): TaxRule {
  return {
    id: idFromUuid('tax_rule', mode, row.id),
    position: row.position,
    country: row.country,
    customerType: row.customer_type as TaxRule['customerType'],
    taxCode: row.tax_code,
    taxRateId: idFromUuid('tax_rate', mode, row.tax_rate_id),
    createdAt: row.created_at,
  }
}
