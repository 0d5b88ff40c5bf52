/** Reads the data that determines the tax of prices and customers. */
import { sql } from 'kysely'
import { type Id, idFromUuid, uuidOf } from '../../../../kernel/id.ts'
import type { TaxedCustomer, TaxedPrice, TaxMode } from '../../../../kernel/parties.ts'
import type { View } from '../../../../platform/db/unit-of-work.ts'

type PricesAndCustomers = {
  readonly mode: TaxMode
  readonly prices: ReadonlyMap<Id<'price'>, TaxedPrice & { readonly name: string }>
  readonly customers: ReadonlyMap<Id<'customer'>, TaxedCustomer>
}

type FactsRow = {
  mode: TaxMode | null
  prices: { id: string; name: string; code: string | null; inclusive: boolean }[] | null
  customers:
    | { id: string; country: string | null; tax_ids: TaxedCustomer['taxIds']; exempt: boolean }[]
    | null
}

/** Prices with their products, and customers, in one statement for any number of them. */
export async function findPricesAndCustomers(
  view: View,
  priceIds: readonly Id<'price'>[],
  customerIds: readonly Id<'customer'>[],
): Promise<PricesAndCustomers> {
  const workspace = sql`${uuidOf(view.caller.workspaceId)}::uuid`
  const { rows } = await sql<FactsRow>`
    select (select tax from sellers where workspace_id = ${workspace}) as mode,
      (select jsonb_agg(jsonb_build_object('id', prices.id, 'name', products.name, 'code', products.tax_code,
          'inclusive', prices.tax_behavior = 'inclusive'))
        from prices join products on products.workspace_id = prices.workspace_id and products.id = prices.product_id
        where prices.workspace_id = ${workspace} and prices.id = any(${priceIds.map(uuidOf)}::uuid[])) as prices,
      (select jsonb_agg(jsonb_build_object('id', id, 'country', address ->> 'country', 'tax_ids', tax_ids,
          'exempt', tax_exempt))
        from customers
        where workspace_id = ${workspace} and id = any(${customerIds.map(uuidOf)}::uuid[])) as customers`.execute(
    view.db,
  )
  const [row] = rows
  const { mode } = view.caller
  return {
    mode: row?.mode ?? 'none',
    prices: new Map(
      row?.prices?.map(({ id, name, code: taxCode, inclusive: isInclusive }) => [
        idFromUuid('price', mode, id),
        { name, taxCode, isInclusive },
      ]),
    ),
    customers: new Map(
      row?.customers?.map(({ id, country, tax_ids: taxIds, exempt: isExempt }) => [
        idFromUuid('customer', mode, id),
        { country, taxIds, isExempt },
      ]),
    ),
  }
}
