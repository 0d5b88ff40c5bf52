/** Creates settlement imports, and saves the settings of their provider accounts. */
import type { Deps } from '../../../../deps.ts'
import type { Caller } from '../../../../kernel/caller.ts'
import { refuse, refuseMember } from '../../../../kernel/errors.ts'
import { transact } from '../../../../platform/db/unit-of-work.ts'
import { findAccount } from '../../../routing/provider-accounts/service.ts'
import type { CreateSettlementImport } from '../schema.ts'
import type { SettlementImport } from '../settlement-import.ts'
import * as store from '../store/imports.ts'

const defaultSettleDays = 7

/** `mapping` and `settle_days` are saved for later imports of the same provider account. */
export function createImport(
  deps: Deps,
  caller: Caller,
  input: CreateSettlementImport,
): Promise<SettlementImport> {
  const { format, file_name: fileName, mapping } = input
  if (format !== 'csv' && mapping !== undefined)
    refuseMember('/mapping', 'not_together', 'can only be combined with the format csv')
  return transact(deps, caller, async (tx) => {
    const account = (await findAccount(tx, input.provider_account_id)) ?? refuseAccount()
    const saved = await store.findAccountSettings(tx, account.id)
    const used = format === 'csv' ? (mapping ?? saved?.mapping ?? refuseWithoutMapping()) : null
    await store.saveAccountSettings(tx, account.id, {
      mapping: used ?? saved?.mapping ?? null,
      settleDays: input.settle_days ?? saved?.settleDays ?? defaultSettleDays,
    })
    return store.insertImport(tx, {
      id: tx.newId('settlement_import'),
      providerAccountId: account.id,
      format,
      fileName: fileName ?? null,
      mapping: used,
    })
  })
}

function refuseAccount(): never {
  const detail = 'must be the id of a provider account'
  return refuse('reference_not_found', {
    errors: [{ pointer: '/provider_account_id', code: 'not_found', detail }],
  })
}

function refuseWithoutMapping(): never {
  return refuseMember(
    '/mapping',
    'required',
    'is required for the first import of a provider account with the format csv',
  )
}
